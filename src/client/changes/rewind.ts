import { setTimeout as pause } from 'node:timers/promises';
import { lastingWaits, type ChangeVerdict, type RewindRequest } from '../../contract/changes/run-change.js';
import type { Checkpoint, Position } from '../../contract/checkpoints/checkpoint.js';
import { changesOf } from '../../contract/engine.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { asJson, defined, isObject, jsonSize, type JsonObject } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { updateNames } from '../../contract/names.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import type { CarriedStart } from '../runs/carried-start.js';
import { sendUpdate } from '../runs/messages.js';
import { executionWith, keptOf, withSet, type ForkOptions } from '../runs/read-fork.js';
import { describeRun, unbounded, type Asking } from '../runs/view-run.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';
import { assertConsent } from './change-plan.js';
import { ChildrenBefore, type Settled } from './children-before.js';
import { childAgain } from './retry.js';
import {
  beganAt,
  carriedFrom,
  changesWith,
  goOnFrom,
  plannedRecord,
  told,
  type GoneOn,
  type Told,
} from './go-on.js';

export interface RewindOptions extends Omit<ForkOptions, 'runId'> {
  /** Who asks for it, for the run's record; left out: nobody is named. */
  by?: string;
  /** How the run is asked for what the plan needs; left out: without a time limit of its own. */
  ask?: Asking['ask'];
}

/** What is planned for a run that goes back, as it stands. */
interface PlannedRewind {
  at: Position;
  /** Left out: that of the run stays. */
  source: ProcedureSource | undefined;
  /** The run was open, and had come so far; null: it had ended. */
  seen: number | null;
  planned: GoneOn;
  children: Settled;
  events: JsonObject[];
}

/** Between two attempts at a run that goes on meanwhile, in ms. */
const pauseMs = 50;
const mostAttempts = 10;

/**
 * Makes a run go back to a checkpoint under its id, whether it is open or has ended: the checkpoint is asked for anew, and all that came
 * after it. With `dryRun`, nothing is sent to the run.
 * @throws TactusError run_not_found; usage where the run has no such checkpoint; non_determinism where the source doesn't fit what is kept;
 *   change_refused where what may be done once only would be done again, or where the run can't be moved; payload_too_large
 */
export async function rewindRun(
  tactus: Pick<TactusClient, 'attach' | 'startFork'>,
  run: TactusRun,
  { by, ask = unbounded.ask, ...options }: RewindOptions,
): Promise<Told> {
  for (let attempt = 1; ; attempt++) {
    const rewind = await ask(() => planRewind(run, options), true);
    const { planned, children } = rewind;
    assertConsent(planned, options);
    const answer = told(planned);
    if (options.dryRun === true) return answer;
    if (rewind.seen === null) {
      const carried = await startOf(run, rewind, by);
      for (const id of children.givenUp) await tactus.attach(id).cancel();
      await tactus.startFork(carried);
      return answer;
    }
    const verdict = await send(run, rewind, rewind.seen, by);
    if (verdict?.moved === true) return answer;
    if (verdict === null || verdict.verdict === 'ended')
      throw new TactusError(
        'change_refused',
        `${run.runId} has ended since this was planned. Ask once more to start it again from there`,
        { run_id: run.runId },
      );
    if (verdict.verdict === 'failed' || attempt >= mostAttempts)
      throw new TactusError(
        'change_refused',
        `${run.runId} was not moved: ${verdict.message}. To hold it meanwhile: tactus-temporal pause ${lastArgument(run.runId)}`,
        { run_id: run.runId },
      );
    await pause(pauseMs * attempt);
  }
}

async function planRewind(
  run: TactusRun,
  options: Omit<RewindOptions, 'by' | 'ask'>,
): Promise<PlannedRewind> {
  const { at, set, source } = options;
  const { status, runId: newest } = await describeRun(run);
  const isOpen = status.name === 'RUNNING';
  const now = isOpen ? run : run.inExecution(newest);
  const { start, engine } = await now.started();
  if (isOpen && !changesOf(engine)('rewinds'))
    throw new TactusError(
      'change_refused',
      `${run.runId} runs on engine ${engine}, which goes back to no checkpoint: it moves to a newer one when it continues as new. Until then, another run can go that way: tactus-temporal fork ${lastArgument(run.runId)} --at ${at}`,
      { run_id: run.runId },
    );
  // First: whatever the run does while it is read makes a difference to it.
  const { checkpoints, waits } = await now.status();
  const seen = isOpen ? checkpoints : null;
  const { execution, log, whole } = await executionWith(now, at, set !== undefined);
  const kept = keptOf(run.runId, log, { at, set });
  const children = await ChildrenBefore.of(now, { log: whole, kept }, at, childAgain(source));
  const lasting = waits.filter(({ kind }) => lastingWaits.has(kind)).map(({ position }) => position);
  const way = {
    ...{ runId: run.runId, summary: `${run.runId}, back at ${at}`, before: beganAt(log, at) },
    open: [...lasting, ...children.waitedFor],
    // An execution before may have had another one.
    source: source ?? (execution === now ? undefined : start.source),
  };
  const gone = await withSet({ at, set }, () => goOnFrom(execution, { log: whole, kept }, way));
  const settled = children.settle(gone);
  return {
    ...{ at, source, seen, events: eventsOf(whole.slice(kept.length)) },
    planned: { ...settled.planned, before: { ...gone.before, start } },
    children: settled,
  };
}

/** Events that the procedure was told of: whoever waits for them again finds them. */
function eventsOf(given: readonly Checkpoint[]): JsonObject[] {
  return given
    .flatMap(({ type, name, outcome, at }) => {
      if (type !== 'event_wait' || !outcome.ok || !isObject(outcome.value)) return [];
      const { value } = outcome.value;
      return value === undefined ? [] : [{ name, value, at }];
    })
    .sort((one, other) => one.at - other.at)
    .map(({ name, value }) => ({ name, value }));
}

/** What a run that has ended is started with once more. */
async function startOf(
  run: TactusRun,
  { at, planned, children, events }: PlannedRewind,
  by: string | undefined,
): Promise<CarriedStart> {
  const changes = await changesWith(run, planned, { kind: 'rewind', position: at }, by);
  const { kept = {} } = planned.handed;
  const waiting = kept['event'];
  const event = asJson([...events, ...(Array.isArray(waiting) ? waiting : [])]);
  const carried = carriedFrom(planned, { ...children.carry, kept: { ...kept, event }, changes });
  return { ...carried, again: { afterAny: true }, children: children.started };
}

function goingOn({ proof }: GoneOn): Position[] {
  return Object.entries(proof?.open ?? {}).flatMap(([position, fate]) => (fate === 'kept' ? [position] : []));
}

/** null: the run has ended. */
async function send(
  { handle, runId }: TactusRun,
  { at, source, planned, children, events }: PlannedRewind,
  seen: number,
  by: string | undefined,
): Promise<ChangeVerdict | null> {
  const { start, packed } = carriedFrom(planned);
  const request: RewindRequest = {
    ...{ pass: planned.started.pass?.number ?? 0, seen, open: goingOn(planned) },
    ...{ key: start.carry.firstExecutionId, events, outcomes: children.carry.childOutcomes },
    ...defined({ earlier: planned.handed.earlier }),
    ...defined({ source }),
    record: plannedRecord(planned, { kind: 'rewind', position: at }, by),
  };
  if (jsonSize(request) + packed.length > maxInlineBytes)
    throw new TactusError(
      'payload_too_large',
      `The log up to ${at}, and what goes along, have more than the ${maxInlineBytes} bytes that can be sent to ${runId}`,
      { run_id: runId },
    );
  try {
    const sent = await sendUpdate(runId, () =>
      handle.executeUpdate<ChangeVerdict, [RewindRequest, Uint8Array]>(updateNames.rewind, {
        args: [request, packed],
      }),
    );
    if ('answer' in sent) return sent.answer;
    throw new TactusError('change_refused', sent.refusal, { run_id: runId });
  } catch (error) {
    if (hasCode(error, 'run_not_found')) return null;
    throw error;
  }
}
