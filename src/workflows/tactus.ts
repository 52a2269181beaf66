import { ApplicationFailure, patched, workflowInfo } from '@temporalio/workflow';
import { changesOf, NewerVersionError, newestEngine, patchOf } from '../contract/engine.js';
import { isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { assertLimits } from '../contract/runs/limits.js';
import { TactusError, type ErrorCode } from '../contract/errors.js';
import { readStartInput } from '../contract/runs/read-start-input.js';
import { limitsOf, type StartInput } from '../contract/runs/start-input.js';
import { startOnEngine1 } from './engine-1/run.js';
import { start } from './start.js';
import { unpackCarried, type CarriedLog } from '../log/pack.js';
import { optionsOfStart, Program } from '../lua-bridge/index.js';

/**
 * Runs one Tactus procedure. Its result is the procedure's output; whatever goes wrong in the procedure fails the
 * run, with one of our codes as the failure's type, and never the workflow task.
 */
export async function tactus(given: unknown, packed?: unknown): Promise<JsonValue> {
  try {
    refuseNewer(given);
    const input = readStartInput(given);
    const engine = engineOf(input, packed);
    if (isBounded(input, engine)) assertLimits(input.limits);
    return await (engine === 1 ? startOnEngine1(input, packed) : start(input, packed, engine));
  } catch (error) {
    throw toWorkflowFailure(error);
  }
}

/** What an execution on a newer engine hands over is nothing for this code, which may not even know its fields. */
function refuseNewer(given: unknown): void {
  const carry = isObject(given as JsonValue) ? (given as JsonObject)['carry'] : undefined;
  const engine = isObject(carry) ? carry['engine'] : undefined;
  if (typeof engine === 'number' && engine > newestEngine)
    throw new NewerVersionError('What the execution before handed over', engine, newestEngine);
}

/**
 * Whether the limits of a start are looked at: always on engine 9 and later. A run may also be started with a carry, which
 * says that it began on an older engine: then a patch says so, for such runs that began before looked at nothing.
 */
function isBounded({ carry }: StartInput, engine: number): boolean {
  // What a run hands to itself was looked at when it began.
  if (workflowInfo().continuedFromExecutionRunId !== undefined) return false;
  return changesOf(engine)('limit-ceilings') || (carry !== undefined && patched('limit-ceilings'));
}

/**
 * Asked once and before anything else: a patch that is first asked for after a local activity may look absent to a
 * replay, which can hear of the activity's end in an earlier workflow task than the first time.
 */
function engineOf(input: StartInput, packed: unknown): number {
  const { carry } = input;
  if (carry?.engine !== undefined) return engineOfNext(input, packed, carry.engine);
  // A carry without one comes from engine 1, whose log fits 2 and no newer.
  const newest = carry === undefined ? newestEngine : 2;
  for (let engine = newest; engine > 1; engine--) if (patched(patchOf(engine))) return engine;
  return 1;
}

/**
 * What a run ends with. Only an error of ours ends one: any other is a fault in this code, and is left as it is, so that
 * it fails the workflow task, which Temporal tries again until the next deploy has mended it.
 */
function toWorkflowFailure(error: unknown): unknown {
  if (!(error instanceof TactusError)) return error;
  return ApplicationFailure.nonRetryable(error.message, error.code, error.details);
}

/** The log of engine 2 says of conversations what engine 3 reads differently. */
const oldestMoved = 3;
/** Slices of Lua that a trial may take: the workflow task goes on beside it, and has more to do. */
const mostSlices = 2;

/**
 * Gives the engine of an execution that continues a run as new: the newest, where the run's log means the same to it as to
 * the engine before; else that of the execution before. So a run of years has the mended behaviour at some time, and never
 * in the middle of an execution.
 *
 * The log means the same where a replay of it on both engines asks for the same effects in the same order, with the same
 * digests, prints the same, and waits for the same at its end. A run stays where that can't be seen: where its replay takes
 * long, where it waits for its own source, and where decisions wait for requests that are yet to be made.
 *
 * Asked before anything else, by `patched`, so that a replay by a later version comes to the same engine.
 */
function engineOfNext(input: StartInput, packed: unknown, before: number): number {
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  if (!isContinued || before < oldestMoved) return before;
  for (let engine = newestEngine; engine > before; engine--)
    if (patched(patchOf(engine))) return meansTheSame(input, packed, before, engine) ? engine : before;
  return before;
}

function meansTheSame(input: StartInput, packed: unknown, before: number, engine: number): boolean {
  const log: CarriedLog = packed === undefined ? { entries: [] } : unpackCarried(packed);
  if (log.answers !== undefined || (input.carry?.ledger.early.length ?? 0) > 0) return false;
  const old = trial(input, log, before);
  // Where slices end between tasks, a replay may use more. The engine before would end the run here.
  if (old === outOfInstructions) return true;
  return old !== null && old === trial(input, log, engine);
}

const outOfInstructions = 'instruction_limit' satisfies ErrorCode;

/**
 * What a replay of the log asks for and shows, as text to be compared; null where it fails, ends or takes long.
 * `outOfInstructions`: it fails with that.
 */
function trial(input: StartInput, { entries: carried }: CarriedLog, engine: number): string | null {
  const { carry, source } = input;
  if (carry === undefined || source === undefined) return null;
  const asked: unknown[] = [];
  const program = new Program({
    ...optionsOfStart({ ...input, source }, carry),
    ...{ runId: carry.ledger.runId, limits: limitsOf(input), carried, engine },
    onAsked: ({ position, type, name, digest }) => asked.push([position, type, name, digest]),
  });
  let turn = program.turn();
  for (let slices = 0; turn.kind === 'slice'; turn = program.turn()) if (++slices > mostSlices) return null;
  if (turn.kind === 'failed' && turn.error.code === outOfInstructions) return outOfInstructions;
  if (turn.kind !== 'blocked') return null;
  const waits = turn.asked.map(({ position, effect }) => [position, effect]);
  return JSON.stringify([asked, waits, program.shown, program.state(), program.observed]);
}
