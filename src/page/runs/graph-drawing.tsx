import type { VNode } from 'preact';
import { visibleLine } from '../text/visible-text.js';
import {
  layOut,
  nodeHeight,
  nodeWidth,
  partsOf,
  stateOf,
  type DrawnGraph,
  type NodeState,
  type PlacedNode,
  type Standing,
} from './graph-layout.js';

const words: Readonly<Record<NodeState, string>> = {
  now: 'current step',
  failed: 'here it failed',
  done: 'it came by here',
  ahead: 'not reached',
};

/** What a procedure may do, as a drawing, with where its run stands in it. */
export function GraphDrawing({ graph, standing }: { graph: DrawnGraph; standing: Standing }): VNode {
  return (
    <>
      <p class="legend" aria-hidden="true">
        {(['now', 'done', 'failed', 'ahead'] as const).map((state) => (
          <span key={state}>
            <span class={`swatch ${state}`} />
            {words[state]}
          </span>
        ))}
      </p>
      {partsOf(graph).map(({ id, label, nodes }) => {
        const { edges, width, height, nodes: placed } = layOut(nodes, graph.edges);
        const stands = placed.map((node) => ({ node, state: stateOf(node, standing, label) }));
        return (
          <figure key={id}>
            <figcaption class="label">{visibleLine(label)}</figcaption>
            <div class="graph" role="group" aria-label={`Drawing of ${visibleLine(label)}`} tabIndex={0}>
              <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
                <defs>
                  <marker
                    id={`arrow-${id}`}
                    viewBox="0 0 8 8"
                    refX="7"
                    refY="4"
                    markerWidth="7"
                    markerHeight="7"
                    orient="auto"
                  >
                    <path d="M0 0L8 4L0 8z" class="arrow" />
                  </marker>
                </defs>
                {edges.map(({ from, to, kind, path, label: text, labelX, labelY }) => (
                  <g key={`${from} ${to} ${kind}`}>
                    <path d={path} class={`edge ${kind}`} marker-end={`url(#arrow-${id})`} />
                    {text !== null && (
                      <text x={labelX} y={labelY + 4} class="edge-label">
                        {visibleLine(text.slice(0, 24))}
                      </text>
                    )}
                  </g>
                ))}
                {stands.map(({ node, state }) => (
                  <Node key={node.id} node={node} state={state} />
                ))}
              </svg>
              <ol class="only-read">
                {stands.map(({ node, state }) => (
                  <li key={node.id} aria-current={state === 'now' ? 'step' : undefined}>
                    {visibleLine(node.label)}, line {node.line}: {words[state]}
                  </li>
                ))}
              </ol>
            </div>
          </figure>
        );
      })}
    </>
  );
}

/** So many characters of a label stand in a line of a node. */
const lineLength = 28;

function Node({ node, state }: { node: PlacedNode; state: NodeState }): VNode {
  const { x, y, kind, line } = node;
  const label = visibleLine(node.label);
  const isRound = ['start', 'end', 'return', 'error'].includes(kind);
  return (
    <g class={`node ${state} ${kind}`}>
      <title>{label}</title>
      <rect x={x} y={y} width={nodeWidth} height={nodeHeight} rx={isRound ? nodeHeight / 2 : 9} />
      <text x={x + nodeWidth / 2} y={y + 22} class="node-label">
        {label.length > lineLength ? `${label.slice(0, lineLength)}…` : label}
      </text>
      <text x={x + nodeWidth / 2} y={y + 40} class="node-more">
        {kind} · line {line}
      </text>
    </g>
  );
}
