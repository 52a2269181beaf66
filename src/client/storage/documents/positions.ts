import type { CheckpointEntry } from '../procedure-metadata.js';

/** Positions of a log, as first and last of those that follow each other: of a run's log that is one pair, or few. */
export type Positions = readonly (readonly [first: number, last: number])[];

/** These and those of entries, which are in the order of their positions. */
export function withEntries(positions: Positions, entries: readonly CheckpointEntry[]): Positions {
  const added = entries.map(({ position }): [number, number] => [position, position]);
  const sorted = [...positions, ...added].sort(([a], [b]) => a - b);
  const joined: [number, number][] = [];
  for (const [first, last] of sorted) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

export function countOf(positions: Positions): number {
  return positions.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
