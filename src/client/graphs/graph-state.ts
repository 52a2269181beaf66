import { isWithin, outerPosition, ownIndex } from '../../contract/checkpoints/checkpoint.js';
import type { LedgerEventView, LedgerFilter } from '../../contract/graphs/ledger.js';
import { recordedIntents, type IntentView } from '../../contract/graphs/recorded-intents.js';
import { isObject, jsonAs } from '../../contract/json/json.js';
import {
  snapshotOf,
  type GraphSnapshot,
  type GraphState,
  type SuperStepResult,
} from '../../contract/graphs/super-step.js';
import { superStepGroups, type SuperStepGroup } from '../../contract/graphs/super-step-groups.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { isOver, type LogEntryView, type LogPage } from '../../contract/runs/run-view.js';
import { settleIntents } from '../dead-letters/settle-intents.js';
import { describeRun } from '../runs/view-run.js';
import { checkLedgerFilter, filteredLedger, readLedger } from '../storage/ledger.js';
import type { StorageBackend } from '../storage/storage-backend.js';
import type { TactusRun } from '../tactus-run.js';
import { Interruptions } from './interrupted-snapshots.js';

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
  const shown = new Set(all ? loops : loops.filter((loop) => !isInner(loop)));
  const isStep = (position: string): boolean => shown.has(outerPosition(position));
  return {
    snapshots: snapshotsOf(
      steps.filter(({ loop }) => shown.has(loop)),
      new Interruptions(runId, entries, pending, isStep),
    ),
    ledger: steps
      .flatMap(({ state: { step }, result }) => result.ledger.map((event) => ({ ...event, step })))
      .map((event, i) => ({ ...event, number: i + 1 })),
    intents: recordedIntents(entries).map(({ view }) => view),
  };
}

/** Before each super-step the snapshots of its interruptions; at the end those of super-steps that are under way. */
function snapshotsOf(steps: readonly Step[], interruptions: Interruptions): GraphSnapshot[] {
  const last = new Map<string, Step>();
  const interruptedAt = (loop: string, index: number): GraphSnapshot[] => {
    const before = last.get(loop);
    return before?.index === index - 1 ? interruptions.of({ position: `${loop}.${index}`, before }) : [];
  };
  const recorded = steps.flatMap((step) => {
    const { loop, index, state, result } = step;
    const interrupted = interruptedAt(loop, index);
    last.set(loop, step);
    const parent = interrupted.at(-1)?.checkpoint_id ?? result.parent_checkpoint_id;
    return [...interrupted, snapshotOf(state, { ...result, parent_checkpoint_id: parent })];
  });
  return [...recorded, ...[...last.values()].flatMap(({ loop, index }) => interruptedAt(loop, index + 1))];
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

/**
 * Events that nodes of a run's graphs gave for the ledger, the oldest first.
 * @param storage what workers mirror the run to; left out: the run's log is read
 * @throws TactusError usage of a filter that can't be meant; run_not_found where the log is read; file_failed
 */
export async function ledgerOf(
  run: TactusRun,
  storage: StorageBackend | undefined,
  filter: LedgerFilter,
): Promise<LedgerEventView[]> {
  checkLedgerFilter(filter);
  if (storage === undefined) return filteredLedger((await readGraphState(run)).ledger, filter);
  const events = await readLedger(storage, run.runId, filter);
  return events.map(({ topic, key, data, step, number }) => ({ topic, key, data, step, number }));
}
