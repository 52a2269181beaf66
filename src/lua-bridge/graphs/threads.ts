import type { GraphState } from '../../contract/graphs/super-step.js';
import { fieldsPart, PerRun, type Bridge } from '../kernel/index.js';
import type { Outbox } from './outbox.js';

/**
 * Ids of the threads of a run's graphs, and what the thread of the run itself has come to: another turn of it goes on from
 * there.
 */
interface Threads {
  /** The first graph of a run has the id of the run; each other one that of its checkpoint. */
  isRunTaken: boolean;
  /** Set when the call of the graph has ended, for a log that has nothing else of it. */
  ended: GraphState | null;
}

const threads = new PerRun<Threads>(
  ({ run }) => ({ isRunTaken: run.pass !== null && run.pass.thread === undefined, ended: null }),
  fieldsPart('threads'),
);

interface UnderWay {
  state: GraphState | null;
  outbox: Outbox | null;
}

const underWay = new PerRun<UnderWay>(() => ({ state: null, outbox: null }), 'elsewhere');

/** Gives the thread of a graph that is called at a position. */
export function threadAt(bridge: Bridge, position: string): string {
  const taken = threads.of(bridge);
  if (taken.isRunTaken) return `${bridge.run.id}/${position}`;
  taken.isRunTaken = true;
  return bridge.run.id;
}

/** What the turn before has left of a thread; null: it begins. */
export function turnBefore({ run }: Bridge, thread: string): GraphState | null {
  return thread === run.id ? (run.pass?.thread ?? null) : null;
}

/** Notes what a thread goes on from, now or in another turn. */
export function noteState(
  bridge: Bridge,
  { thread, outbox }: { thread: string; outbox: Outbox },
  state: GraphState,
): void {
  if (thread === bridge.run.id) Object.assign(underWay.of(bridge), { state, outbox });
}

/** Notes that the call has ended: nobody looks into it from now on. */
export function noteEnd(bridge: Bridge, thread: string): void {
  if (thread === bridge.run.id) threads.of(bridge).ended = threadState(bridge);
}

/** What the thread of the run has come to; null: none of its super-steps is recorded. */
export function threadState(bridge: Bridge): GraphState | null {
  const { ended } = threads.of(bridge);
  if (ended !== null) return ended;
  const { state, outbox } = underWay.of(bridge);
  if (state === null) return bridge.run.pass?.thread ?? null;
  return { ...state, outbox: outbox?.left ?? state.outbox };
}
