import { comparePositions, outerPosition, type Position } from '../../contract/checkpoints/checkpoint.js';
import type { OpenSuperStep } from '../../contract/graphs/super-step.js';
import { PerRun, type Bridge } from '../kernel/index.js';
import { isNodeOpen } from './run-nodes.js';

interface NotedStep {
  position: Position;
  graph: string;
  step: number;
  nodes: readonly string[];
}

/** By their positions. */
const openSteps = new PerRun(() => new Map<Position, NotedStep>(), 'elsewhere');

/** Notes that a super-step is under way, until what it gives is called. */
export function noteOpen(bridge: Bridge, noted: NotedStep): () => void {
  const open = openSteps.of(bridge);
  open.set(noted.position, noted);
  return () => void open.delete(noted.position);
}

/** Those that are under way, in the order of their positions: one that a node has called comes behind that of the node. */
export function openSuperSteps(bridge: Bridge): OpenSuperStep[] {
  const noted = [...openSteps.of(bridge).values()]
    .filter(({ position }) => !hasEndedAround(bridge, position))
    .sort((a, b) => comparePositions(a.position, b.position));
  return noted.map(({ nodes, ...step }) => ({
    ...step,
    nodes: nodes.map((node, i) => ({ node, isOpen: isNodeOpen(bridge, step.position, i) })),
  }));
}

/** A branch that was given up ends nothing by itself; what it stands in has ended then. */
function hasEndedAround({ log }: Bridge, position: Position): boolean {
  for (let outer = outerPosition(position); outer !== ''; outer = outerPosition(outer))
    if (log.find(outer) !== null || log.sealed.has(outer)) return true;
  return false;
}
