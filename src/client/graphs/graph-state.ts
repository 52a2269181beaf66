import {
  comparePositions,
  isWithin,
  outerPosition,
  ownIndex,
} from '../../contract/checkpoints/checkpoint.js';
import type { LedgerEventView } from '../../contract/graphs/ledger.js';
import { getOwn, isObject, jsonAs } from '../../contract/json/json.js';
import {
  snapshotOf,
  type GraphSnapshot,
  type GraphState,
  type NodeResult,
  type SuperStepResult,
} from '../../contract/graphs/super-step.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { LogEntryView, LogPage } from '../../contract/runs/run-view.js';
import { settleIntents } from '../dead-letters/settle-intents.js';
import { describeRun } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';
import { recordedIntents, type IntentView } from './intents.js';

/** What the log of a run says of its graphs. */
export interface GraphView {
  /** The oldest first. */
  snapshots: GraphSnapshot[];
  /** Numbered from 1 on. */
  ledger: LedgerEventView[];
  intents: IntentView[];
}

/** A super-step as the log has it. */
interface Step {
  /** Position of what its graph's super-steps are in, and its own index there. */
  loop: string;
  index: number;
  state: GraphState;
  result: SuperStepResult;
}

/**
 * Reads the state of a run's graphs from its log.
 * @param all with the snapshots of graphs that nodes of others have called
 */
export async function readGraphState(run: TactusRun, { all = false } = {}): Promise<GraphView> {
  const [log, pending] = [await run.log({ all: true }), await run.pending()];
  const view = graphView(log, pending, all);
  if (view.intents.every(({ status }) => status === 'sent')) return view;
  return { ...view, intents: await settleIntents(run, await describeRun(run), view.intents) };
}

export function graphView(
  { procedure_id: runId, execution_log: entries }: LogPage,
  pending: readonly HumanRequest[],
  all = false,
): GraphView {
  const steps = entries.flatMap((entry) => stepOf(entry) ?? []);
  const loops = [...new Set(steps.map(({ loop }) => loop))];
  const isInner = (loop: string): boolean => loops.some((outer) => outer !== loop && isWithin(loop, outer));
  const shown = all ? loops : loops.filter((loop) => !isInner(loop));
  const snapshots = steps
    .filter(({ loop }) => shown.includes(loop))
    .map(({ state, result }) => snapshotOf(state, result));
  const open = shown.flatMap((loop) => {
    const last = steps.findLast((step) => step.loop === loop);
    return last === undefined ? [] : (interrupted(last, runId, entries, pending) ?? []);
  });
  return {
    snapshots: [...snapshots, ...open],
    ledger: steps
      .flatMap(({ state: { step }, result }) => result.ledger.map((event) => ({ ...event, step })))
      .map((event, i) => ({ ...event, number: i + 1 })),
    intents: recordedIntents(entries).map(({ view }) => view),
  };
}

function stepOf({ type, position, result }: LogEntryView): Step | null {
  if (type !== 'super_step' || !isObject(result)) return null;
  const { kept, result: made } = result;
  return {
    loop: outerPosition(position),
    index: ownIndex(position),
    state: jsonAs<GraphState>(kept),
    result: jsonAs<SuperStepResult>(made),
  };
}

/** The super-step that is under way, as a snapshot of its own where one of its nodes waits for somebody. */
function interrupted(
  { loop, index, state, result }: Step,
  runId: string,
  entries: readonly LogEntryView[],
  pending: readonly HumanRequest[],
): GraphSnapshot | null {
  const step = state.step + 1;
  const position = `${loop}.${index + 1}`;
  const nodeAt = (inner: string): string | undefined => {
    // A super-step has its branches in its first frame.
    const branch = isWithin(inner, `${position}.0`)
      ? inner.slice(position.length + 3).split('.')[0]
      : undefined;
    return branch === undefined ? undefined : state.next_tasks[Number(branch)];
  };
  const open = pending
    .map((request) => ({ request, at: request.id.slice(runId.length + 1) }))
    .sort((a, b) => comparePositions(a.at, b.at))
    .flatMap(({ request, at }) => {
      const node = nodeAt(at);
      return node === undefined ? [] : [{ node, request }];
    });
  const [first] = open;
  if (first === undefined) return null;
  const ended = entries.flatMap((entry) => {
    const isOwn =
      entry.type === 'graph_node' && entry.position.split('.').length === position.split('.').length + 3;
    const node = isOwn ? nodeAt(entry.position) : undefined;
    return node === undefined || !isObject(entry.result)
      ? []
      : [[node, jsonAs<NodeResult>(entry.result).writes] as const];
  });
  const writes = Object.fromEntries(ended);
  const interrupts = open.map(({ node, request: { id, message, context } }) => ({
    node,
    reason: message,
    payload: context,
    request: id,
  }));
  const under: SuperStepResult = {
    ...result,
    ...{ writes, interrupts, parent_checkpoint_id: state.checkpoint_id },
    created_at: first.request.created_at,
  };
  const next = state.next_tasks.filter((node) => getOwn(writes, node) === undefined);
  const snapshot = snapshotOf(
    { ...state, step, next_tasks: next, checkpoint_id: `${runId}/${position}` },
    under,
  );
  return { ...snapshot, metadata: { ...snapshot.metadata, source: 'interrupted' } };
}
