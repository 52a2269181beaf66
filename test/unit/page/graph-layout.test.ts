import { expect, it } from 'vitest';
import { graphSource } from '../../../src/graph/index.js';
import {
  layOut,
  nodeHeight,
  nodeWidth,
  partsOf,
  stateOf,
  type Standing,
} from '../../../src/page/runs/graph-layout.js';
import type { Graph, Run } from '../../../src/page/api/shapes.js';
import { procedureSource } from '../../support/procedure-source.js';

const source = `
local function each(i) return checkpoint(function() return i end) end
Procedure { function()
  for i = 1, 3 do
    if i > 1 then each(i) else Sleep(1) end
  end
  return Human.approve("done?")
end }`;

function graph(text = source): Graph {
  const drawn = graphSource(procedureSource(text));
  if ('diagnostics' in drawn) throw new Error(JSON.stringify(drawn.diagnostics));
  return { ...drawn.graph, entry: 'main.tac', mermaid: '' };
}

it('draws each function by itself, its nodes apart from each other and within the drawing', () => {
  const drawn = graph();
  const parts = partsOf(drawn);
  expect(parts.map(({ label }) => label)).toEqual(['main.tac', 'function each']);
  for (const { nodes } of parts) {
    const { nodes: placed, width, height } = layOut(nodes, drawn.edges);
    expect(placed).toHaveLength(nodes.length);
    for (const [i, { x, y }] of placed.entries()) {
      expect(x >= 0 && x + nodeWidth <= width && y >= 0 && y + nodeHeight <= height).toBe(true);
      for (const other of placed.slice(i + 1))
        expect(Math.abs(other.x - x) >= nodeWidth || Math.abs(other.y - y) >= nodeHeight).toBe(true);
    }
  }
});

it('says where a run stands', () => {
  const waits = [{ source: { file: 'main.tac', line: 7 } }];
  const run = { waits, error: null } as unknown as Run;
  const log = [{ source: { file: 'main.tac', line: 5 } }] as unknown as Standing['log'];
  const standing = { run, log, steps: [] };
  const states = graph().nodes.map((node) => [node.line, stateOf(node, standing, 'main.tac')]);
  expect(states).toContainEqual([7, 'now']);
  expect(states).toContainEqual([5, 'done']);
  expect(states).toContainEqual([4, 'ahead']);
  const failed = { waits: [], error: { file: 'main.tac', line: 4 } } as unknown as Run;
  const failing = { ...standing, run: failed };
  expect(graph().nodes.map((node) => stateOf(node, failing, 'main.tac'))).toContain('failed');
});

it('says where a graph stands that runs in super-steps, by the newest one of each node', () => {
  const text = `local f = function() return {} end
    main = Graph { nodes = { plan = f, look = f, ask = f, end_ = f } }
    other = Graph { nodes = { plan = f } }`;
  const drawn = graph(text);
  const step = (name: string, status: string) => ({ graph: 'main', nodes: [{ node: name, status }] });
  const steps = [
    step('plan', 'failed'),
    step('plan', 'completed'),
    step('look', 'failed'),
    step('ask', 'waiting'),
  ];
  const standing = { run: { waits: [], error: null }, log: [], steps } as unknown as Standing;
  const states = partsOf(drawn).flatMap(({ label, nodes }) =>
    nodes
      .filter(({ kind }) => kind === 'graph_node')
      .map((node) => `${label} ${node.label} ${stateOf(node, standing, label)}`),
  );
  expect(states.sort()).toEqual([
    'graph main ask now',
    'graph main end_ ahead',
    'graph main look failed',
    'graph main plan done',
    'graph other plan ahead',
  ]);
});
