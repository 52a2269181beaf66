import type { SuperStepGroup } from '../../contract/graphs/super-step-groups.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';
import type { Graph, GraphEdge, GraphNode, Run } from '../api/shapes.js';

export interface PlacedNode extends GraphNode {
  x: number;
  y: number;
}

interface PlacedEdge extends GraphEdge {
  /** Of an SVG path. */
  path: string;
  labelX: number;
  labelY: number;
}

export interface Layout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

export const nodeWidth = 220;
export const nodeHeight = 52;
const gapX = 28;
const gapY = 40;
const margin = 16;

/**
 * Places nodes in rows, each below those that lead to it, and in a row by where they come from. Edges back go round on the
 * right. Pure, and the same for the same graph.
 */
export function layOut(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Layout {
  const ids = new Map(nodes.map((node, i) => [node.id, i]));
  const inner = edges.filter(({ from, to }) => ids.has(from) && ids.has(to) && from !== to);
  // In the order of the source a flow leads on, but for loops: what leads to an earlier node is a way back.
  const isBack = ({ from, to, kind }: GraphEdge): boolean =>
    kind === 'back' || (ids.get(from) ?? 0) > (ids.get(to) ?? 0);
  const rank = new Map<string, number>();
  for (const { id } of nodes) {
    const above = inner.filter((edge) => edge.to === id && !isBack(edge));
    rank.set(id, Math.max(0, ...above.map(({ from }) => (rank.get(from) ?? 0) + 1)));
  }
  const rows: GraphNode[][] = [];
  for (const node of nodes) (rows[rank.get(node.id) ?? 0] ??= []).push(node);
  const widest = Math.max(1, ...rows.map((row) => row.length));
  const innerWidth = widest * nodeWidth + (widest - 1) * gapX;
  const place = new Map<string, PlacedNode>();
  rows.forEach((row, y) => {
    const cameFrom = (node: GraphNode): number => {
      const above = inner.filter((edge) => edge.to === node.id && place.has(edge.from));
      if (above.length === 0) return 0;
      return above.reduce((sum, { from }) => sum + (place.get(from)?.x ?? 0), 0) / above.length;
    };
    const sorted = row
      .map((node, i) => ({ node, i, at: cameFrom(node) }))
      .sort((a, b) => a.at - b.at || a.i - b.i);
    const width = row.length * nodeWidth + (row.length - 1) * gapX;
    sorted.forEach(({ node }, i) =>
      place.set(node.id, {
        ...node,
        x: margin + (innerWidth - width) / 2 + i * (nodeWidth + gapX),
        y: margin + y * (nodeHeight + gapY),
      }),
    );
  });
  const hasBack = inner.some((edge) => isBack(edge));
  return {
    nodes: nodes.flatMap(({ id }) => place.get(id) ?? []),
    edges: inner.flatMap((edge): PlacedEdge[] => {
      const [from, to] = [place.get(edge.from), place.get(edge.to)];
      if (from === undefined || to === undefined) return [];
      return [isBack(edge) ? backEdge(edge, from, to) : onEdge(edge, from, to)];
    }),
    width: innerWidth + 2 * margin + (hasBack ? 2 * gapX : 0),
    height: rows.length * (nodeHeight + gapY) - gapY + 2 * margin,
  };
}

function onEdge(edge: GraphEdge, from: PlacedNode, to: PlacedNode): PlacedEdge {
  const [x1, y1] = [from.x + nodeWidth / 2, from.y + nodeHeight];
  const [x2, y2] = [to.x + nodeWidth / 2, to.y];
  const bend = Math.max(18, (y2 - y1) / 2);
  return {
    ...edge,
    path: `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`,
    labelX: (x1 + x2) / 2,
    labelY: (y1 + y2) / 2,
  };
}

function backEdge(edge: GraphEdge, from: PlacedNode, to: PlacedNode): PlacedEdge {
  const [x1, y1] = [from.x + nodeWidth, from.y + nodeHeight / 2];
  const [x2, y2] = [to.x + nodeWidth, to.y + nodeHeight / 2];
  const out = Math.max(x1, x2) + gapX;
  return {
    ...edge,
    path: `M${x1} ${y1} C${out} ${y1} ${out} ${y2} ${x2} ${y2}`,
    labelX: out,
    labelY: (y1 + y2) / 2,
  };
}

/** What of a graph is drawn. */
export type DrawnGraph = Omit<Graph, 'mermaid'>;

/** One function, task or set of agents with what stands in it; the first is the procedure itself. */
export interface GraphPart {
  id: string;
  label: string;
  nodes: GraphNode[];
}

/** Takes a graph apart by its outermost groups: each is drawn by itself. */
export function partsOf({ nodes, groups, entry }: DrawnGraph): GraphPart[] {
  const outer = (group: string | null): string => {
    let at = group;
    for (;;) {
      const found = groups.find(({ id }) => id === at);
      if (found === undefined) return '';
      if (found.group === null)
        return found.kind === 'function' ||
          found.kind === 'task' ||
          found.kind === 'agents' ||
          found.kind === 'graph' ||
          found.kind === 'tool'
          ? found.id
          : '';
      at = found.group;
    }
  };
  const byPart = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    const part = outer(node.group);
    byPart.set(part, [...(byPart.get(part) ?? []), node]);
  }
  return [...byPart].map(([id, members]) => ({
    id,
    label: groups.find((group) => group.id === id)?.label ?? entry,
    nodes: members,
  }));
}

export type NodeState = 'now' | 'failed' | 'done' | 'ahead';

/** What of a run tells where it stands. */
export interface Standing {
  run: Pick<Run, 'waits' | 'error'>;
  log: readonly Pick<LogEntryView, 'source'>[];
  steps: readonly SuperStepGroup[];
}

/**
 * Where a run stands in the graph of its procedure, by the lines that it waits in, failed in and has come by; in the nodes of a graph
 * that runs in super-steps, by its newest super-step that had the node.
 * @param part what the node is drawn in
 */
export function stateOf(node: GraphNode, { run, log, steps }: Standing, part: string): NodeState {
  if (node.kind === 'graph_node') return stateOfStep(node.label.split(' · ')[0] ?? '', steps, part);
  const { file, line } = node;
  const isHere = (place: { file: string | null; line: number | null } | null | undefined): boolean =>
    place != null && place.line === line && (place.file === null || sameFile(place.file, file));
  if (run.waits.some(({ source }) => isHere(source))) return 'now';
  if (isHere(run.error)) return 'failed';
  return log.some(({ source }) => isHere(source)) ? 'done' : 'ahead';
}

function stateOfStep(name: string, steps: readonly SuperStepGroup[], part: string): NodeState {
  // A graph that only a local variable holds is called `graph` as it runs.
  const isOwn = ({ graph }: SuperStepGroup): boolean => graph === 'graph' || part === `graph ${graph}`;
  const nodes = steps.filter(isOwn).flatMap((step) => step.nodes.filter(({ node }) => node === name));
  const status = nodes.at(-1)?.status;
  if (status === undefined) return 'ahead';
  return status === 'waiting' || status === 'running' ? 'now' : status === 'failed' ? 'failed' : 'done';
}

/** One may be named with more of its folder than the other. */
function sameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}
