import { comparePositions, type Position } from '../contract/checkpoints/checkpoint.js';

/** What two logs have at a position; null: nothing. */
export interface Difference<E> {
  position: Position;
  left: E | null;
  right: E | null;
}

/** Compares two logs position by position, in the order of positions: branches may have ended in another order. */
export function diffLogs<E extends { position: Position }>(
  left: readonly E[],
  right: readonly E[],
  isSame: (one: E, other: E) => boolean,
): { same: number; entries: Difference<E>[] } {
  const [ofLeft, ofRight] = [byPosition(left), byPosition(right)];
  const positions = [...new Set([...ofLeft.keys(), ...ofRight.keys()])].sort(comparePositions);
  const all = positions.map((position) => ({
    position,
    left: ofLeft.get(position) ?? null,
    right: ofRight.get(position) ?? null,
  }));
  const entries = all.filter(
    ({ left: one, right: other }) => one === null || other === null || !isSame(one, other),
  );
  return { same: all.length - entries.length, entries };
}

function byPosition<E extends { position: Position }>(log: readonly E[]): Map<Position, E> {
  return new Map(log.map((entry) => [entry.position, entry]));
}
