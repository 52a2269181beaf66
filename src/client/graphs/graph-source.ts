import { knownReducer, type AnyGraph } from '../../contract/graphs/graph-definition.js';
import { nodeSource, reducerSource } from '../../contract/graphs/worker-graph.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';

const defaultSteps = 50;

/**
 * The procedure that runs a graph of a worker: its channels, and its nodes as tools of the worker. It is the same for the same graph.
 * @param graph one that `checkGraph` has looked at
 */
export function graphSource(graph: AnyGraph & { name: string }): ProcedureSource {
  const { name, channels, nodes, maxSteps = defaultSteps } = graph;
  const [first = ''] = Object.keys(nodes);
  const fields = (lines: string[]): string => lines.map((line) => `    ${line},\n`).join('');
  const text = `-- Made from the graph ${name}, whose nodes are functions of a worker.
main = Graph {
  name = ${quoted(name)},
  entrypoint = ${quoted(graph.entrypoint ?? first)},
  max_steps = ${maxSteps},
  channels = {
${fields(Object.keys(channels).map((channel) => `[${quoted(channel)}] = ${reducerText(graph, channel)}`))}  },
  nodes = {
${fields(Object.keys(nodes).map((node) => `[${quoted(node)}] = ${toolText(nodeSource(name, node))}`))}  },
}
`;
  const entry = `${name}.tac`;
  return { entry, files: { [entry]: text } };
}

function reducerText(graph: AnyGraph & { name: string }, channel: string): string {
  const known = knownReducer(graph, channel);
  if (known === null) return toolText(reducerSource(graph.name, channel));
  if (known.kind === 'last') return 'Graph.last';
  return known.most === null ? 'Graph.append' : `Graph.bounded(${known.most})`;
}

function toolText(source: string): string {
  return `Tool { use = ${quoted(source)} }`;
}

/** Names have nothing that a text of Lua would need to escape. */
function quoted(name: string): string {
  return `"${name}"`;
}
