import type { Checkpoint, Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { Snapshot } from '../../contract/checkpoints/snapshot.js';
import { asJson, jsonSize } from '../../contract/json/json.js';
import { countWritten, type Bridge, type Frame, type LuaState, type SnapshotFrame } from '../kernel/index.js';

/** What an entry takes beside its outcome, about: what was asked is cut when it is handed over, and mustn't decide on anything. */
const entryBytes = 300;

/** A snapshot is looked at after so many checkpoints: of rounds, and of a frame that has ended. */
const leastEntries = { rounds: 32, frame: 8 } as const;

/**
 * A frame whose log may begin at a snapshot: what it does shows in what a snapshot has, and nowhere else.
 *
 * Owns: since when the entries of the frame are without a snapshot, and how many there are to be before one is taken.
 * Asks: `Bridge.takeSnapshot` and `putSnapshot`; the log, which keeps the newest snapshot of the frame.
 * Invariants:
 *  1. When a snapshot is taken depends on the log alone: a replay takes it at the same place.
 *  2. What is handed over of a frame is no more than its newest snapshot, as much again, and what one round adds.
 */
export class Compacting {
  private readonly first: number;
  /** Index of the first entry that the next snapshot would stand for, and that of now doesn't. */
  private since: number;
  private least: number = leastEntries.rounds;
  private readonly declared: number;

  /** Created before anything is recorded in the frame. */
  constructor(
    private readonly bridge: Bridge,
    private readonly frame: SnapshotFrame,
  ) {
    this.first = this.since = bridge.log.ended;
    this.declared = countWritten(bridge);
  }

  /** The checkpoint with a snapshot has had its turn. */
  goOn(L: LuaState, snapshot: Snapshot): void {
    this.bridge.putSnapshot(L, this.frame, snapshot);
    this.noted(snapshot);
  }

  /** Rounds have ended: nobody looks inside of them any more. @param around the frame that they are in */
  sealRounds({ position, next }: Pick<Frame, 'position' | 'next'>): void {
    const first = Number(this.frame.position.slice(this.frame.position.lastIndexOf('.') + 1));
    this.bridge.log.sealed.seal(position, first, next);
  }

  sealFrame(): void {
    this.bridge.log.sealed.seal(this.frame.position, 0, Infinity);
  }

  /** The checkpoint that the log of the loop begins with; null: the loop begins. */
  get begun(): (Checkpoint & { snapshot: Snapshot }) | null {
    return this.bridge.log.snapshotOf(this.frame.position);
  }

  /** A round of the loop has ended. @param around the frame that the rounds are in */
  endRound(L: LuaState, around: Pick<Frame, 'position' | 'next'>, isLast: boolean): void {
    const { log } = this.bridge;
    if (!this.bridge.holds('snapshots')) return;
    this.sealRounds(around);
    if (isLast || log.ended - this.since < this.least) return;
    if (!this.compact(L)) this.least *= 2;
  }

  /** The frame has ended well. */
  endFrame(L: LuaState): void {
    const { log } = this.bridge;
    if (!this.bridge.holds('snapshots')) return;
    this.sealFrame();
    if (log.ended - this.since > leastEntries.frame) this.compact(L);
  }

  /** Takes a snapshot where one can be taken that is no larger than what it stands for. */
  private compact(L: LuaState): boolean {
    const { bridge, frame, first } = this;
    if (countWritten(bridge) !== this.declared || bridge.log.hasSealedRest) return false;
    const snapshot = bridge.takeSnapshot(L, frame);
    if (snapshot === null) return false;
    const replaced = bridge.log.needless(first);
    const bytes = replaced.reduce(
      (sum, { outcome }) => sum + entryBytes + jsonSize(asJson<Outcome>(outcome)),
      0,
    );
    if (bytes < jsonSize(asJson<Snapshot>(snapshot))) return false;
    bridge.meter.releaseCheckpoints(replaced);
    this.noted(snapshot);
    return true;
  }

  private noted(snapshot: Snapshot): void {
    const { log } = this.bridge;
    log.compact(snapshot, this.first);
    this.since = log.ended - 1;
    this.least = leastEntries.rounds;
  }
}
