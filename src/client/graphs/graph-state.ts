import { isWithin, outerPosition } from '../../contract/checkpoints/checkpoint.js';
import type { LedgerEventView } from '../../contract/graphs/ledger.js';
import { recordedIntents, type IntentView } from '../../contract/graphs/recorded-intents.js';
import { isObject, jsonAs } from '../../contract/json/json.js';
import {
  snapshotOf,
  type GraphSnapshot,
  type GraphState,
  type SuperStepResult,
} from '../../contract/graphs/super-step.js';
import {
  superStepGroups,
  type StepStatus,
  type SuperStepGroup,
} from '../../contract/graphs/super-step-groups.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { isOver, type LogEntryView, type LogPage } from '../../contract/runs/run-view.js';
import { settleIntents } from '../dead-letters/settle-intents.js';
import { describeRun } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';

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
  /** Position of what its graph's super-steps are in. */
  loop: string;
  state: GraphState;
  result: SuperStepResult;
}

/** What the super-steps of a run's log did, and what those do that are under way. */
export async function readSuperSteps(run: TactusRun, log: LogPage): Promise<SuperStepGroup[]> {
  const { execution_log: entries, status } = log;
  if (!entries.some(({ type }) => type === 'super_step')) return [];
  const [{ waits }, pending] = [await run.status(), await run.pending()];
  const intents = await settled(
    run,
    recordedIntents(entries).map(({ view }) => view),
  );
  return superStepGroups({ entries, pending, waits, isOver: isOver(status), intents });
}

/**
 * Reads the state of a run's graphs from its log.
 * @param all with the snapshots of graphs that nodes of others have called
 */
export async function readGraphState(run: TactusRun, { all = false } = {}): Promise<GraphView> {
  const [log, pending] = [await run.log({ all: true }), await run.pending()];
  const view = graphView(log, pending, all);
  return { ...view, intents: await settled(run, view.intents) };
}

async function settled(run: TactusRun, intents: IntentView[]): Promise<IntentView[]> {
  if (intents.every(({ status }) => status === 'sent')) return intents;
  return settleIntents(run, await describeRun(run), intents);
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
  const groups = superStepGroups({ entries, pending, waits: [], isOver: false });
  const open = shown.flatMap((loop) => {
    const last = steps.findLast((step) => step.loop === loop);
    return last === undefined ? [] : (interrupted(last, runId, groups, pending) ?? []);
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
    state: jsonAs<GraphState>(kept),
    result: jsonAs<SuperStepResult>(made),
  };
}

/** The super-step that is under way, as a snapshot of its own where one of its nodes waits for somebody. */
function interrupted(
  { loop, state, result }: Step,
  runId: string,
  groups: readonly SuperStepGroup[],
  pending: readonly HumanRequest[],
): GraphSnapshot | null {
  const open = groups.find(({ position, status }) => outerPosition(position) === loop && isOpen(status));
  if (open === undefined) return null;
  const interrupts = open.nodes.flatMap((node) => (isOpen(node.status) ? node.interrupts : []));
  const first = pending.find(({ id }) => id === interrupts[0]?.request);
  if (first === undefined) return null;
  const ended = open.nodes.filter(({ status }) => status === 'completed');
  const under: SuperStepResult = {
    ...result,
    writes: Object.fromEntries(ended.map(({ node, writes }) => [node, writes])),
    interrupts,
    parent_checkpoint_id: state.checkpoint_id,
    created_at: first.created_at,
  };
  const next = open.nodes.filter(({ status }) => status !== 'completed').map(({ node }) => node);
  const snapshot = snapshotOf(
    { ...state, step: open.step, next_tasks: next, checkpoint_id: `${runId}/${open.position}` },
    under,
  );
  return { ...snapshot, metadata: { ...snapshot.metadata, source: 'interrupted' } };
}

function isOpen(status: StepStatus): boolean {
  return status !== 'completed' && status !== 'failed';
}
