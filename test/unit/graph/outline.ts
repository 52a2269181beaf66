import { graphSource, type FlowGraph } from '../../../src/graph/index.js';

/** The graph of a source and its modules. */
export function graphOf(source: string, files: Record<string, string> = {}): FlowGraph {
  const graphed = graphSource({ entry: 'main.tac', files: { 'main.tac': source, ...files } });
  if (!('graph' in graphed)) throw new Error(JSON.stringify(graphed.diagnostics));
  return graphed.graph;
}

/** Its edges, one a line, by the labels of their nodes: `a -yes-> b`; `a ~calls~> b` where it isn't what comes next. */
export function outline({ nodes, edges, groups }: FlowGraph): string[] {
  const nameOf = (id: string): string => [...nodes, ...groups].find((each) => each.id === id)?.label ?? '?';
  return edges.map(({ from, to, kind, label }) => {
    const text = [kind === 'flow' || kind === 'error' ? null : kind, label]
      .filter((each) => each !== null)
      .join(' ');
    const isDotted = !['flow', 'back'].includes(kind);
    const arrow = text === '' ? '->' : isDotted ? `~${text}~>` : `-${text}->`;
    return `${nameOf(from)} ${arrow} ${nameOf(to)}`;
  });
}

/** What a main procedure does that declares an agent `a` and runs this body. */
export function flowOf(body: string, files: Record<string, string> = {}): string[] {
  const agent = 'a = Agent { model = "m", system_prompt = "s" }';
  return outline(graphOf(`${agent}\nProcedure { function(input)\n${body}\nend }`, files));
}
