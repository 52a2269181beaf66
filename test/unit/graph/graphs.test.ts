import { describe, expect, it } from 'vitest';
import { graphMermaid } from '../../../src/graph/graph-mermaid.js';
import { graphOf, outline } from './outline.js';

const research = (nodes: string, fields = ''): string =>
  `main = Graph { channels = { n = Graph.last }, ${fields} nodes = {\n${nodes}\n} }`;

describe('a graph that runs in super-steps', () => {
  it('is drawn with its nodes, from the entrypoint on, and with whom each names', () => {
    const source = research(
      `ask = function() if Graph.interrupt("go?") then return { next = "send" } end return {} end,
       plan = function() return { next = { "left", "right" } } end,
       left = function() return { next = ready and "ask" or "plan" } end,
       right = function() return { next = "ask" } end,
       send = function() if x then return { next = nil } else return { writes = { n = 1 } } end end`,
      'entrypoint = "plan",',
    );
    const { nodes, groups } = graphOf(source);
    expect(groups.map(({ kind, label }) => `${kind}: ${label}`)).toEqual([
      'graph: graph main',
      'function: function ask',
    ]);
    expect(nodes.filter(({ kind }) => kind === 'graph_node').map(({ label }) => label)).toEqual([
      ...['plan', 'left', 'right', 'ask', 'send'],
    ]);
    expect(outline(graphOf(source)).slice(0, 9)).toEqual([
      'main -> plan',
      'plan -> left',
      'plan -> right',
      'left -> ask',
      'left -back-> plan',
      'right -> ask',
      'ask -> send',
      'ask -> end',
      'send -> end',
    ]);
    expect(outline(graphOf(source))).toContain('ask ~call calls~> ask');
  });

  it('takes what a function inside of a node returns for no result of the node', () => {
    const source = research(
      `a = function() local function pick() return { next = "c" } end pick() return { next = "b" } end,
       b = function() return {} end, c = function() return {} end`,
    );
    expect(outline(graphOf(source))).toEqual(expect.arrayContaining(['a -> b', 'main -never named-> c']));
    expect(outline(graphOf(source))).not.toContain('a -> c');
  });

  it('says where names are computed, and which tool of a worker a node is', () => {
    const source = research(
      `a = function(state) return { next = state.next } end,
       b = Tool { use = "host.research.b" },
       c = function() return { next = { "a", other } } end`,
    );
    const labels = graphOf(source).nodes.map(({ label }) => label);
    expect(labels).toEqual([
      'main',
      'a · names others as it runs',
      'b · host.research.b · names others as it runs',
      'c · names others as it runs',
    ]);
    expect(
      outline(graphOf(source)).map((line) =>
        line.replaceAll(/ · (?:host\.research\.b|names others as it runs)/g, ''),
      ),
    ).toEqual(['main -> a', 'c -back-> a', 'a -may name-> b', 'a -may name-> c']);
    expect(
      outline(graphOf(research('a = function() return {} end, b = function() return {} end'))),
    ).toContain('main -never named-> b');
  });

  it('is led to from where it is called, in a procedure and in nodes of others', () => {
    const source = `
      local inner = Graph { nodes = { only = function() return {} end } }
      local outer = Graph { name = "outer", nodes = { first = function() inner({}) return {} end } }
      Procedure { function() local s = outer({}) return s.values end }`;
    const drawn = graphOf(source);
    expect(drawn.groups.map(({ label }) => label)).toEqual(['graph inner', 'graph outer', 'function first']);
    expect(outline(drawn)).toEqual(
      expect.arrayContaining([
        'main -> graph outer',
        'graph outer ~call runs~> outer',
        'first ~call calls~> first',
        'graph inner ~call runs~> inner',
      ]),
    );
  });

  it('is the main part where the file returns it, or has it alone', () => {
    const nodes = 'nodes = { only = function() return {} end }';
    const firstOf = (source: string): string | undefined => graphOf(source).nodes[0]?.label;
    expect(firstOf(`return Graph { name = "r", ${nodes} }`)).toBe('r');
    expect(firstOf(`alone = Graph { ${nodes} }`)).toBe('alone');
    expect(firstOf(`beside = Graph { ${nodes} }\nprint(checkpoint(function() return 1 end))`)).toBe('main');
  });

  it('is a group in Mermaid', () => {
    const mermaid = graphMermaid(graphOf(research('a = function() return {} end')), 'main.tac');
    expect(mermaid.split('\n')).toEqual([
      'flowchart TD',
      '  subgraph g0["graph main :1"]',
      '    n0(["main :1"])',
      '    n1["a :2"]',
      '    n2(["end :3"])',
      '  end',
      '  n0 --> n1',
      '  n1 --> n2',
    ]);
  });
});
