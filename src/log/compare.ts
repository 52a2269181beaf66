import { comparePositions, type Position } from '../contract/checkpoints/position.js';
import { versionOf } from '../contract/effects/digest.js';

/** What is compared of a checkpoint: that the same thing is asked for at the same place. */
export interface CheckpointKey {
  position: Position;
  type: string;
  name: string;
  digest: string;
}

/** What a procedure asks for. */
export interface Asked extends CheckpointKey {
  /**
   * Its digest in another version than that of `digest`.
   * @throws NewerVersionError where the version isn't known
   */
  identify(version: number): string;
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
export function compareAsked(recorded: CheckpointKey, asked: Asked): CheckpointKey | null {
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
