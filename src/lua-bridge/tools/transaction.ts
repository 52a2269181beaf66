import { hasCode, TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { heldBack } from '../checkpoints/attempted.js';
import { assertKept } from '../checkpoints/checkpointed.js';
import {
  beginKeeping,
  beginParts,
  currentFrame,
  endParts,
  forgetFiles,
  restoreFiles,
  tellParts,
  type Bridge,
  type LuaState,
  type OpenTransaction,
  type Step,
} from '../kernel/index.js';

/**
 * Does the work of a call, in its frame, so that state, session and files are as they were if it fails. It works on copies of the state and
 * of the session: nobody else sees what is changed there before it has succeeded. Files are changed at once: how they were is kept beside
 * them, and put back. What ends the run puts nothing back.
 */
export function* inTransaction(
  bridge: Bridge,
  L: LuaState,
  name: string,
  work: () => Generator<Step, JsonValue, unknown>,
): Generator<Step, JsonValue, unknown> {
  const { scope, position } = currentFrame(L);
  const transaction: OpenTransaction = { position, outer: scope.transaction ?? null };
  beginParts(bridge, L, transaction);
  // The scope is that of this frame alone.
  scope.transaction = transaction;
  beginKeeping(bridge, transaction);
  let value: JsonValue;
  try {
    value = yield* work();
    assertKept(bridge, name, value);
    endParts(bridge, L, transaction, true);
  } catch (error) {
    const failed = heldBack(bridge, L, error);
    endParts(bridge, L, transaction, false);
    yield* putBack(bridge, { transaction, name, reason: failed.text });
    throw failed.again(L);
  }
  yield* forgotten(bridge, transaction);
  yield* tellParts(bridge, L);
  return value;
}

/** @throws TactusError file_failed where a file can't be put back */
function* putBack(
  bridge: Bridge,
  { transaction, name, reason }: { transaction: OpenTransaction; name: string; reason: string },
): Generator<Step, void, unknown> {
  try {
    yield* restoreFiles(bridge, transaction);
  } catch (error) {
    if (!hasCode(error, 'file_failed')) throw error;
    throw new TactusError(
      'file_failed',
      `${name} has failed (${reason}), and a file can't be put back as it was: ${error.message}`,
    );
  }
}

/** A copy that can't be removed does no harm. */
function* forgotten(bridge: Bridge, transaction: OpenTransaction): Generator<Step, void, unknown> {
  try {
    yield* forgetFiles(bridge, transaction);
  } catch (error) {
    if (!hasCode(error, 'file_failed')) throw error;
  }
}
