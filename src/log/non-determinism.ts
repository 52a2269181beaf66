import type { Checkpoint, SourceLine } from '../contract/checkpoints/checkpoint.js';
import type { CarriedAnswer } from '../contract/runs/carried-answers.js';
import { cutMessage } from '../contract/text/plain-text.js';
import { TactusError } from '../contract/errors.js';
import type { JsonObject, JsonValue } from '../contract/json/json.js';
import { isSamePlace, type CheckpointKey } from './compare.js';

/** The log has something else at a place than what the procedure now comes to. */
export function mismatch(
  recorded: Checkpoint,
  asked: CheckpointKey & { input: JsonValue },
  source: SourceLine | null,
): TactusError {
  const difference = isSamePlace(recorded, asked)
    ? ` with other arguments${bothInputs(recorded, asked)}`
    : '';
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${asked.position}: recorded is ${describe(recorded)}, the procedure now asks for ${describe(asked)}${difference}`,
    {
      position: asked.position,
      expected: keyOf(recorded),
      found: keyOf(asked),
      ...(source ?? {}),
    },
  );
}

/** The log holds a checkpoint that the procedure no longer comes to. */
export function neverReached(recorded: Checkpoint, pending: readonly CheckpointKey[]): TactusError {
  const found = pending.map(describe).join(', ') || 'its end';
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${recorded.position}: recorded is ${describe(recorded)}, the procedure now comes to ${found}`,
    {
      position: recorded.position,
      expected: keyOf(recorded),
      found: pending.map(keyOf),
      ...(recorded.source === null ? {} : { file: recorded.source.file, line: recorded.source.line }),
    },
  );
}

/** The next of the answers that were recorded elsewhere is one to something else. */
export function otherAnswer(
  recorded: CarriedAnswer,
  asked: CheckpointKey,
  source: SourceLine | null,
): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${recorded.position}: recorded is ${describeAnswer(recorded)}, the procedure now asks for ${describe(asked)}`,
    { position: recorded.position, expected: answerKey(recorded), found: keyOf(asked), ...(source ?? {}) },
  );
}

/** An answer was recorded elsewhere that is none to what is asked for. */
export function wrongAnswer(
  recorded: CarriedAnswer,
  asked: CheckpointKey,
  reason: string,
  source: SourceLine | null,
): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${recorded.position}: what is recorded doesn't answer ${describe(asked)}: ${reason}`,
    { position: recorded.position, expected: answerKey(recorded), found: keyOf(asked), ...(source ?? {}) },
  );
}

/** The procedure has ended, and answers are left that were recorded elsewhere. */
export function neverAsked(recorded: CarriedAnswer): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${recorded.position}: recorded is ${describeAnswer(recorded)}, the procedure now comes to its end`,
    { position: recorded.position, expected: answerKey(recorded), found: null, ...(recorded.source ?? {}) },
  );
}

function answerKey({ position, type, name }: CarriedAnswer): JsonObject {
  return { position, type, name: name ?? null };
}

function describeAnswer({ type, name }: CarriedAnswer): string {
  return name === undefined ? type : `${type} '${name}'`;
}

function keyOf({ position, type, name, digest }: CheckpointKey): JsonObject {
  return { position, type, name, digest };
}

/** Empty where what is shown of them is the same: of a conversation, for one, that is little. */
function bothInputs(recorded: { input: JsonValue }, asked: { input: JsonValue }): string {
  const [before, now] = [recorded.input, asked.input].map((input) => cutMessage(JSON.stringify(input), 300));
  return before === now ? '' : `: ${before} then, ${now} now`;
}

function describe(key: CheckpointKey): string {
  return `${key.type} '${key.name}' at ${key.position}`;
}
