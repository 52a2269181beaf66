import { plainText } from '../contract/text/plain-text.js';
import type { FlowEdge, FlowGraph, FlowNode, NodeKind } from './flow-graph.js';

/** What stands around a label, by the kind of the node. */
const shapes: Readonly<Record<NodeKind, readonly [string, string]>> = {
  ...{ start: ['([', '])'], end: ['([', '])'], return: ['([', '])'], error: ['([', '])'] },
  ...{ decision: ['{', '}'], loop: ['[/', '/]'], label: ['((', '))'], parallel: ['[/', '\\]'] },
  ...{ agent: ['(', ')'], human: ['{{', '}}'], call: ['[[', ']]'], procedure: ['[[', ']]'] },
  graph_node: ['[', ']'],
  ...{ tool: ['[', ']'], toolset: ['[', ']'], model: ['[', ']'], checkpoint: ['[', ']'], step: ['[', ']'] },
  ...{
    wait: ['[', ']'],
    retry: ['[', ']'],
    sleep: ['[', ']'],
    host: ['[', ']'],
    http: ['[', ']'],
    file: ['[(', ')]'],
  },
};

/** A graph as a flow chart in Mermaid's language. Nodes of other files than `entry` name theirs. */
export function graphMermaid({ nodes, edges, groups }: FlowGraph, entry: string): string {
  const [nodesIn, groupsIn] = [byGroup(nodes), byGroup(groups)];
  const inGroup = (group: string | null, indent: string): string[] => [
    ...(nodesIn.get(group) ?? []).map((node) => indent + nodeText(node, entry)),
    ...(groupsIn.get(group) ?? []).flatMap((each) => [
      `${indent}subgraph ${each.id}[${mermaidLabel(each.kind === 'agents' ? each.label : withPlace(each, entry))}]`,
      ...inGroup(each.id, `${indent}  `),
      `${indent}end`,
    ]),
  ];
  const errors = nodes.filter(({ kind }) => kind === 'error').map(({ id }) => `  style ${id} stroke:#c00`);
  return ['flowchart TD', ...inGroup(null, '  '), ...edges.map(edgeText), ...errors].join('\n');
}

function byGroup<T extends { group: string | null }>(all: readonly T[]): ReadonlyMap<string | null, T[]> {
  const groups = new Map<string | null, T[]>();
  for (const each of all) {
    const same = groups.get(each.group) ?? [];
    same.push(each);
    groups.set(each.group, same);
  }
  return groups;
}

function nodeText(node: FlowNode, entry: string): string {
  const [open, close] = shapes[node.kind];
  return `${node.id}${open}${mermaidLabel(withPlace(node, entry))}${close}`;
}

function withPlace(
  { label, file, line }: { label: string; file: string; line: number },
  entry: string,
): string {
  return `${label} ${file === entry ? '' : fromFolderOf(entry, file)}:${line}`;
}

function edgeText({ from, to, kind, label }: FlowEdge): string {
  const arrow = kind === 'flow' || kind === 'back' ? '-->' : '-.->';
  return `  ${from} ${arrow}${label === null ? '' : `|${mermaidLabel(label)}|`} ${to}`;
}

/** The way to a file from the folder of another one. */
function fromFolderOf(entry: string, file: string): string {
  const folders = entry.split('/').slice(0, -1);
  const parts = file.split('/');
  const differs = folders.findIndex((folder, i) => folder !== parts[i]);
  const shared = differs < 0 ? folders.length : differs;
  return [...folders.slice(shared).map(() => '..'), ...parts.slice(shared)].join('/');
}

/**
 * A text as a quoted label. Written as entities: what Mermaid takes for its own (quotes, brackets, `#`, `;`), what it
 * takes for Markdown (lists, emphasis, links), and a backslash, which with an `n` would end the line.
 */
export function mermaidLabel(text: string): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  const escaped = line.replace(
    /[#"<>&;*`[\]\\~@|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=^\d+)[.)]|^[-+=]|:(?=\/\/)|(?<=\bwww)\./g,
    (character) => `#${character.charCodeAt(0)};`,
  );
  return `"${escaped}"`;
}
