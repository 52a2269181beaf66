import {
  comparePositions,
  isWithin,
  type Checkpoint,
  type EffectRequest,
  type Position,
  type SourceLine,
} from '../contract/checkpoints/checkpoint.js';
import type { Compared } from '../contract/effects/define-effect.js';
import { versionOf } from '../contract/effects/digest.js';
import { definitionOf } from '../contract/effects/effects.js';
import { TactusError, type NamedCheckpoint } from '../contract/errors.js';
import type { JsonValue } from '../contract/json/json.js';
import type { CarriedAnswer } from '../contract/runs/carried-answers.js';
import { cutMessage } from '../contract/text/plain-text.js';

/** What is compared of a checkpoint: that the same thing is asked for at the same place. */
export interface CheckpointKey {
  position: Position;
  type: string;
  name: string;
  digest: string;
}

/** What a procedure asks for: an effect, or a frame that it opens. */
export interface Asked extends CheckpointKey {
  readonly isFrame: boolean;
  /** What counts of it where another version of the source is compared. */
  readonly compared: () => Compared;
  /** Digest of the function that an unnamed checkpoint runs; left out: there is none. */
  body?: (() => string) | undefined;
  /**
   * Its digest in another version than that of `digest`.
   * @throws NewerVersionError where the version isn't known
   */
  identify(version: number): string;
}

/** Has its own say on what a procedure asks for: see `lua-bridge/changes/proof.ts`. */
export interface Judge {
  /** Is told of all that is asked for, in that order. @throws TactusError non_determinism */
  onAsked(asked: Asked, source: SourceLine | null): void;
  /** Whether what is recorded answers what is asked for, although their digests differ. */
  accepts(recorded: CheckpointKey, asked: Asked): boolean;
}

/** Whether an entry stands for the same place, type and name. */
export function isSamePlace(recorded: CheckpointKey, found: CheckpointKey): boolean {
  return recorded.position === found.position && recorded.type === found.type && recorded.name === found.name;
}

/**
 * Compares an entry with what is asked for. Gives what is asked, with its digest in the version of the recorded one, where
 * they differ; null where they don't.
 * @throws NewerVersionError
 */
export function compareAsked(
  recorded: CheckpointKey,
  asked: CheckpointKey & Pick<Asked, 'identify'>,
): CheckpointKey | null {
  const { position, type, name } = asked;
  // Versions are those of one kind: what asks for something else has none of the recorded one's.
  if (!isSamePlace(recorded, asked)) return { position, type, name, digest: asked.digest };
  const version = versionOf(recorded.digest);
  const digest = version === versionOf(asked.digest) ? asked.digest : asked.identify(version);
  return recorded.digest === digest ? null : { position, type, name, digest };
}

/**
 * The first place, in the order of positions, where two logs differ; null: nowhere. Branches may have ended in another
 * order.
 */
export function compareLogs<E extends { position: Position }>(
  before: readonly E[],
  after: readonly E[],
  isSame: (before: E, after: E) => boolean,
): { before: E | undefined; after: E | undefined } | null {
  const [left, right] = [inOrder(before), inOrder(after)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [one, other] = [left[i], right[i]];
    if (one === undefined || other === undefined || one.position !== other.position || !isSame(one, other))
      return { before: one, after: other };
  }
  return null;
}

function inOrder<E extends { position: Position }>(log: readonly E[]): E[] {
  return [...log].sort((a, b) => comparePositions(a.position, b.position));
}

/** The log has something else at a place than what the procedure now comes to. */
export function mismatch(
  recorded: CheckpointKey & { input?: JsonValue },
  asked: CheckpointKey & { input?: JsonValue },
  source: SourceLine | null,
): TactusError<'non_determinism'> {
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

/** What is recorded, with the line that asked for it: no line of the new source does where this is told. */
export type Recorded = CheckpointKey & { source: SourceLine | null };

/**
 * The log has a checkpoint that the procedure no longer comes to. Where it asks for something more in the frame that the log closes
 * there, that is what is new, and the error names its position and line.
 */
export function neverReached(
  recorded: Recorded,
  pending: readonly (CheckpointKey & { source: SourceLine | null })[],
): TactusError<'non_determinism'> {
  const added = pending.find(
    ({ position }) => position !== recorded.position && isWithin(position, recorded.position),
  );
  const found = pending.map(describe).join(', ') || 'its end';
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${(added ?? recorded).position}: recorded is ${describe(recorded)}, the procedure now comes to ${found}${added === undefined ? askedBefore(recorded) : ''}`,
    {
      position: (added ?? recorded).position,
      expected: keyOf(recorded),
      found: added === undefined ? pending.map(keyOf) : keyOf(added),
      ...(added?.source ?? noLine(recorded)),
    },
  );
}

/** The log has a checkpoint that the procedure no longer comes to before it closes a frame. */
export function closedBefore(recorded: Recorded, frame: CheckpointKey): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${recorded.position}: recorded is ${describe(recorded)}, the procedure now comes to the end of ${describe(frame)}${askedBefore(recorded)}`,
    {
      position: recorded.position,
      expected: keyOf(recorded),
      found: keyOf(frame),
      ...noLine(recorded),
    },
  );
}

/** The function that an unnamed checkpoint calls is that of another one, which is recorded at `place`. */
export function movedFunction(
  recorded: CheckpointKey,
  asked: CheckpointKey,
  source: SourceLine | null,
  place: Position,
): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${asked.position}: the function that this checkpoint calls is that of ${place} in what is recorded. Give back each its place, or name them with step`,
    { position: asked.position, expected: keyOf(recorded), found: keyOf(asked), ...(source ?? {}) },
  );
}

/** A frame that ended in one way before now ends in the other. */
export function otherEnd(recorded: Checkpoint, source: SourceLine | null): TactusError {
  const { position, type, name, outcome } = recorded;
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${position}: ${type} '${name}' ${outcome.ok ? 'succeeded' : 'failed'} before, and now ${outcome.ok ? 'fails' : 'succeeds'}`,
    { position, expected: keyOf(recorded), found: keyOf(recorded), ...(source ?? {}) },
  );
}

/** Another branch of a race wins now than the one that is recorded; branches are counted from 1. */
export function otherWinner(
  recorded: number,
  found: number,
  { position, source }: Pick<Checkpoint, 'position' | 'source'>,
): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${position}: branch ${recorded} won this race before, and now branch ${found} wins`,
    { position, expected: recorded, found, ...(source ?? {}) },
  );
}

function noLine({ source }: Recorded): { file?: string; line?: null } {
  return source === null ? {} : { file: source.file, line: null };
}

/** No line of the new source asks for it: the old one is told in words. */
function askedBefore({ source }: Recorded): string {
  return source === null ? '' : `; ${source.file}:${source.line} asked for it when it was recorded`;
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

/**
 * What an answer that was recorded elsewhere says to what is asked.
 * @throws TactusError non_determinism where it answers something else
 */
export function answerTo(request: EffectRequest, recorded: CarriedAnswer): JsonValue {
  const { effect, source } = request;
  const read = definitionOf(effect.kind).told?.(effect, recorded) ?? { value: recorded.value };
  if (!('wrong' in read)) return read.value;
  throw new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${recorded.position}: what is recorded doesn't answer ${describe(request)}: ${read.wrong}`,
    { position: recorded.position, expected: answerKey(recorded), found: keyOf(request), ...(source ?? {}) },
  );
}

/** Nothing is recorded where the procedure asks for something. */
export function notRecorded(asked: CheckpointKey, source: SourceLine | null): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${asked.position}: nothing is recorded, the procedure now asks for ${describe(asked)}`,
    { position: asked.position, expected: null, found: keyOf(asked), ...(source ?? {}) },
  );
}

/** The procedure waits for nothing but what never ended when it was recorded. */
export function notAnswered(asked: CheckpointKey, source: SourceLine | null): TactusError {
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${asked.position}: the procedure now waits for ${describe(asked)}, which never ended when it was recorded`,
    { position: asked.position, expected: null, found: keyOf(asked), ...(source ?? {}) },
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

function answerKey({ position, type, name }: CarriedAnswer): NamedCheckpoint {
  return { position, type, name: name ?? null };
}

function describeAnswer({ type, name }: CarriedAnswer): string {
  return name === undefined ? type : `${type} '${name}'`;
}

export function keyOf({ position, type, name, digest }: CheckpointKey): NamedCheckpoint {
  return { position, type, name, digest };
}

/** Empty where what is shown of them is the same: of a conversation, for one, that is little. */
function bothInputs({ input: then }: { input?: JsonValue }, { input: now }: { input?: JsonValue }): string {
  if (then === undefined || now === undefined) return '';
  const [before, after] = [then, now].map((input) => cutMessage(JSON.stringify(input), 300));
  return before === after ? '' : `: ${before} then, ${after} now`;
}

function describe(key: CheckpointKey): string {
  return `${key.type} '${key.name}' at ${key.position}`;
}
