import {
  isWithin,
  outerPosition,
  ownIndex,
  type Checkpoint,
  type Position,
} from '../contract/checkpoints/checkpoint.js';
import type { Snapshot } from '../contract/checkpoints/snapshot.js';

/** Where a log begins that doesn't begin at the first checkpoint of its pass. */
export interface LogStart {
  /** How many checkpoints stand before it, and how many lines were shown before it. */
  checkpoints: number;
  shown: number;
  /** Index of its first entry among those that are kept. Those before it are there for a replay alone. */
  index: number;
}

/** Entries that stand side by side in the log; a snapshot stands for all of them, and beside the last. */
interface Stretch {
  snapshot: Snapshot;
  /** Index of the first one, and of the first one after them. */
  first: number;
  after: number;
}

/**
 * Which entries of a log nobody needs any more, because a snapshot stands for them.
 *
 * Owns: the newest snapshot of each frame or loop that has one, in the order of the log.
 * Asks: nobody.
 * Invariants:
 *  1. A snapshot stands for all that was recorded since its frame or loop began, inner snapshots among them.
 *  2. Stretches don't overlap: nothing else runs when a snapshot is taken.
 */
export class Compaction {
  private readonly stretches: Stretch[] = [];

  /** A snapshot was taken, or come to again. @param first index of the first entry that it stands for @param after how many entries there are */
  add(snapshot: Snapshot, first: number, after: number): void {
    while ((this.stretches.at(-1)?.after ?? 0) > first) this.stretches.pop();
    this.stretches.push({ snapshot, first, after });
  }

  /** The newest snapshot; null: there is none. */
  get newest(): Snapshot | null {
    return this.stretches.at(-1)?.snapshot ?? null;
  }

  /** Of the entries from one up to another, those that are needed elsewhere: those that have a snapshot with it. */
  needed(entries: readonly Checkpoint[], from = 0, to = entries.length): readonly Checkpoint[] {
    const needed: Checkpoint[] = [];
    let next = from;
    for (const { snapshot, first, after } of this.stretches) {
      if (after <= from) continue;
      for (const entry of entries.slice(next, first)) needed.push(entry);
      const last = entries[after - 1];
      if (last !== undefined) needed.push({ ...last, whole: true, snapshot });
      next = after;
    }
    for (const entry of entries.slice(next, to)) needed.push(entry);
    return needed;
  }
}

/** Where a log begins whose newest snapshot stands beside one of these entries. */
export function startOf(entries: readonly Checkpoint[]): LogStart {
  const last = entries.findLastIndex(({ snapshot }) => snapshot !== undefined);
  const snapshot = entries[last]?.snapshot;
  if (snapshot === undefined) return { checkpoints: 0, shown: 0, index: 0 };
  return { checkpoints: snapshot.checkpoints, shown: snapshot.shown, index: last + 1 };
}

/** A checkpoint that may be inside of something that had ended before it; `at`: its place in the log. */
export interface LateAnswer {
  at: number;
  position: Position;
}

/** Those of a log, in its order: few, so that they can be looked at often. */
export function lateAnswers(entries: readonly Checkpoint[]): LateAnswer[] {
  const ended = new Set<Position>();
  // A snapshot stands for what ended around it, and isn't in the log any more.
  const around: Position[] = [];
  const late: LateAnswer[] = [];
  for (const [at, { position, snapshot }] of entries.entries()) {
    let isLate = around.some((outer) => outer === '' || isWithin(position, outer));
    for (let outer = outerPosition(position); outer !== '' && !isLate; outer = outerPosition(outer))
      isLate = ended.has(outer);
    if (isLate) late.push({ at, position });
    ended.add(position);
    if (snapshot !== undefined) around.push(outerPosition(snapshot.frame));
  }
  return late;
}

/** What was recorded inside of frames and rounds that have ended: whoever reads the log in the run doesn't see it. */
export class Sealed {
  /** Of each frame, ranges of indexes in it. */
  private readonly ranges = new Map<Position, { from: number; below: number }[]>();

  /** Nothing in the frame is seen whose index in it is in this range. */
  seal(frame: Position, from: number, below: number): void {
    const known = this.ranges.get(frame) ?? [];
    const same = known.find((each) => each.from === from);
    if (same === undefined) this.ranges.set(frame, [...known, { from, below }]);
    else same.below = below;
  }

  has(position: Position): boolean {
    for (let at = position; at !== ''; at = outerPosition(at)) {
      const index = ownIndex(at);
      const ranges = this.ranges.get(outerPosition(at)) ?? [];
      if (ranges.some(({ from, below }) => index >= from && index < below)) return true;
    }
    return false;
  }
}
