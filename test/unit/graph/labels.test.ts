import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphMermaid, mermaidLabel } from '../../../src/graph/graph-mermaid.js';
import { readMermaid } from '../../support/mermaid.js';
import { graphOf } from './outline.js';

async function readBack(text: string): Promise<string | undefined> {
  const chart = await readMermaid(
    `flowchart TD\n  n0{${mermaidLabel(text)}} -->|${mermaidLabel(text)}| n1\n`,
  );
  expect(chart.edges[0]?.label).toBe(chart.nodes.get('n0'));
  return chart.nodes.get('n0');
}

describe('labels', () => {
  it.each([
    ...[
      'end',
      'say "x"',
      'a[1][2]',
      '#quot; #1; &amp;',
      '<br/> <b>x</b>',
      '`code` **bold** _it_',
      'C:\\new\\table',
    ],
    ...[
      'a | b',
      '1. list',
      '- list',
      'https://a.b/c www.a.b x@y.z',
      '{{x}} ((y)) [[z]] [/w/]',
      'émoji 🎉 — ünïcode',
      '%% comment',
    ],
    ...[
      'click n0 href "x"',
      'style n0 fill:red',
      "it's",
      'x@{ shape: rect }',
      '~~struck~~',
      ';;',
      '-->',
      '__index',
    ],
    'x'.repeat(200),
  ])('%s', async (text) => {
    expect(await readBack(text)).toBe(text);
  });

  // Only drawing would show these: the parser leaves them alone.
  it.each([
    ['C:\\new', '"C:#92;new"'],
    ['*b* _i_ a_b', '"#42;b#42; #95;i#95; a_b"'],
    ['1. list', '"1#46; list"'],
    ['- list', '"#45; list"'],
    ['http://a.b', '"http#58;//a.b"'],
  ])('nothing of %s is Markdown', (text, label) => {
    expect(mermaidLabel(text)).toBe(label);
  });

  it('lines and control characters become spaces and marks', async () => {
    expect(await readBack('a\nb\r\n\tc\u0007')).toBe('a b c\ufffd');
  });

  it('any text comes back as it was', async () => {
    const part = fc.constantFrom(
      ...Array.from('ab1 "\'#;&<>[](){}|`*_~\\/.:-+=@%$!?,^é🎉…'),
      'end',
      '--',
      '%%',
      '://',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 30 }), async (parts) => {
        const text = parts.join('').replace(/\s+/g, ' ').trim();
        fc.pre(text !== '');
        expect(await readBack(text)).toBe(text);
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('a source with all of it in names, messages and conditions', async () => {
    const graph = graphOf(`step = step
Procedure { function(input)
  if input["a\\"b"] == [[ end ]] or #input > 2 then Human.approve("<b>\\n\\\\n \\u{1F389}" .. "#1; end") end
  step("${'long '.repeat(60)}", function() Sleep(1) end)
end }`);
    const chart = await readMermaid(graphMermaid(graph, 'main.tac'));
    const labels = [...chart.nodes.values()];
    expect(labels).toContain('Human.approve: <b> \\n 🎉#1; end :3');
    expect(labels).toContain('input["a\\"b"] == [[ end ]] or #input > 2? :3');
    for (const label of [...labels, ...[...chart.groups.values()].map((group) => group.label)])
      expect(label.length).toBeLessThanOrEqual(200);
  });
});
