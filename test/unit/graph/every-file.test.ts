import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { graphMermaid } from '../../../src/graph/graph-mermaid.js';
import { graphFile } from '../../../src/cli/procedures/graph-command.js';
import { readMermaid } from '../../support/mermaid.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const files = globSync(`${root}{examples,test/{conformance/cases,fault/procedures}}/**/*.tac`).toSorted();

describe('Mermaid reads the graph of', () => {
  it.each(files.map((file) => relative(root, file)))('%s', async (file) => {
    const graphed = await graphFile(root + file);
    if (!('graph' in graphed)) throw new Error(JSON.stringify(graphed.diagnostics));
    const { graph, entry } = graphed;
    const mermaid = graphMermaid(graph, entry);
    const chart = await readMermaid(mermaid);
    expect([...chart.nodes.keys()].toSorted()).toEqual(graph.nodes.map(({ id }) => id).toSorted());
    expect(chart.edges.map(({ from, to }) => [from, to])).toEqual(
      graph.edges.map(({ from, to }) => [from, to]),
    );
    for (const { id, label, line } of graph.nodes) {
      const shown = chart.nodes.get(id) ?? '';
      expect(shown.startsWith(label.replace(/\s+/g, ' ').trim())).toBe(true);
      expect(shown).toMatch(new RegExp(`:${line}$`));
    }
    // All groups, and nothing in two of them.
    expect([...chart.groups.keys()].toSorted()).toEqual(graph.groups.map(({ id }) => id).toSorted());
    for (const { id, group } of graph.nodes)
      expect(group === null || chart.groups.get(group)?.nodes.includes(id)).toBe(true);
    // Every node can be reached from a start, or belongs to what agents may call.
    const reached = new Set(graph.nodes.filter(({ kind }) => kind === 'start').map(({ id }) => id));
    const agents = graph.groups.find(({ kind }) => kind === 'agents')?.id;
    for (const { id, group } of graph.nodes) if (group !== null && group === agents) reached.add(id);
    for (const { from, to } of [...graph.edges, ...graph.edges])
      if (reached.has(from) || from.startsWith('g')) reached.add(to);
    expect(graph.nodes.filter(({ id }) => !reached.has(id))).toEqual([]);
    // The same again.
    const again = await graphFile(root + file);
    expect('graph' in again && graphMermaid(again.graph, again.entry)).toBe(mermaid);
  });
});
