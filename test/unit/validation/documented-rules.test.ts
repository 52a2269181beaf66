import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateSource } from '../../../src/validation/index.js';
import { rules } from '../../../src/validation/rules.js';

it('every rule has a file, named after its code', () => {
  const folder = new URL('../../../src/validation/rules/', import.meta.url);
  const named = rules.map(({ code }) => `${code.replaceAll('_', '-')}.ts`);
  expect(readdirSync(folder).sort()).toEqual(named.sort());
});

describe('docs/validation.md', () => {
  const text = readFileSync(new URL('../../../docs/validation.md', import.meta.url), 'utf8');
  const sections = text
    .split(/^### /m)
    .slice(1)
    .map((section) => ({
      code: /^`(\w+)`/.exec(section)?.[1] ?? '',
      severity: /^(Error|Warning|Hint)\. \S/m.exec(section)?.[1],
      example: /```lua\n([^]*?)```/.exec(section)?.[1],
    }));

  /** Codes of what isn't found by looking at a syntax tree that is whole. */
  const others = [
    ...['syntax_error', 'empty_file', 'invalid_utf8', 'too_large', 'not_analysed', 'load_failed'],
    ...['no_procedure', 'several_main_procedures'],
  ];

  it('has every code once', () => {
    const codes = [...rules.map(({ code }) => code), ...others];
    expect(sections.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
  });

  it.each(rules)('says how grave $code is', ({ code, severity }) => {
    const words = { error: 'Error', warning: 'Warning', info: 'Hint' };
    expect(sections.find((section) => section.code === code)?.severity).toBe(words[severity]);
  });

  it('shows an example of what can be shown', () => {
    const without = sections.filter(({ example }) => example === undefined).map(({ code }) => code);
    expect(without).toEqual(['empty_file', 'invalid_utf8', 'too_large', 'not_analysed']);
  });

  it.each(sections.filter(({ example }) => example !== undefined))(
    'finds nothing but $code in its example',
    ({ code, example = '' }) => {
      const files: Record<string, string> = { 'main.tac': example };
      if (code === 'cyclic_require') files['prices.tac'] = example;
      const surroundings = { nearby: ['main.tac', 'helpers.tac'] };
      const { diagnostics } = validateSource({ entry: 'main.tac', files }, { surroundings });
      expect([...new Set(diagnostics.map((each) => each.code))]).toEqual([code]);
    },
  );
});
