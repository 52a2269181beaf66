import { patched } from '@temporalio/workflow';
import { newestEngine } from '../contract/engine.js';
import type { JsonValue } from '../contract/json.js';
import { readStartInput, type StartInput } from '../contract/start-input.js';
import { startOnEngine1 } from './engine-1/start.js';
import { start } from './start.js';
import { toWorkflowFailure } from './to-workflow-failure.js';

/**
 * Runs one Tactus procedure. Its result is the procedure's output; whatever goes wrong in the procedure fails the
 * run, with one of our codes as the failure's type, and never the workflow task.
 */
export async function tactus(given: unknown, packed?: unknown): Promise<JsonValue> {
  try {
    const input = readStartInput(given);
    return await (engineOf(input) === 1 ? startOnEngine1(input, packed) : start(input, packed));
  } catch (error) {
    throw toWorkflowFailure(error);
  }
}

/**
 * Asked once and before anything else: a patch that is first asked for after a local activity may look absent to a
 * replay, which can hear of the activity's end in an earlier workflow task than the first time.
 */
function engineOf({ carry }: StartInput): number {
  return carry?.engine ?? (patched(`engine-${newestEngine}`) ? newestEngine : 1);
}
