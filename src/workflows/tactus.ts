import { ApplicationFailure, patched, workflowInfo } from '@temporalio/workflow';
import { changesOf, NewerVersionError, newestEngine, patchOf } from '../contract/engine.js';
import { isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { assertLimits } from '../contract/runs/limits.js';
import { TactusError } from '../contract/errors.js';
import { readStartInput, type StartInput } from '../contract/runs/start-input.js';
import { startOnEngine1 } from './engine-1/start.js';
import { engineOfNext } from './history/move-to-newest.js';
import { start } from './start.js';

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
