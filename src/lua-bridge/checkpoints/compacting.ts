import { outerPosition, ownIndex, type Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { Snapshot } from '../../contract/checkpoints/snapshot.js';
import { asJson, jsonSize } from '../../contract/json/json.js';
import type { SnapshotCheckpoint } from '../../log/execution-log.js';
import {
  cleanups,
  countWritten,
  hasOpenSince,
  type Bridge,
  type LuaState,
  type SnapshotBase,
  type SnapshotFrame,
} from '../kernel/index.js';

/** What an entry takes beside its outcome, about: what was asked is cut when it is handed over, and mustn't decide on anything. */
const entryBytes = 300;

/** A snapshot is looked at after so many checkpoints: of rounds, of a frame that has ended, and of one whose snapshot has the difference alone. */
const leastEntries = { rounds: 32, frame: 8, difference: 1 } as const;

/**
 * A frame, or a loop of rounds, whose log may begin at a snapshot: what it does shows in what a snapshot has, and nowhere else.
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
  private readonly registered: number;

  /**
   * Created before anything is recorded in the frame.
   * @param begun what it begins with, where its snapshot is to have the difference alone; null: nothing is known of that. Left out: the
   *   snapshot has everything
   */
  constructor(
    private readonly bridge: Bridge,
    private readonly frame: SnapshotFrame,
    private readonly begunWith?: SnapshotBase | null,
  ) {
    this.first = this.since = bridge.log.ended;
    this.declared = countWritten(bridge);
    this.registered = cleanups.of(bridge).registered;
  }

  /** The checkpoint that the log of the loop begins with; null: the loop begins. */
  get begun(): SnapshotCheckpoint | null {
    return this.bridge.log.snapshotOf(this.frame.position);
  }

  /** That checkpoint has had its turn. */
  goOnLoop(L: LuaState, { position, snapshot }: SnapshotCheckpoint): void {
    this.goOn(L, snapshot);
    this.sealRounds(ownIndex(position) + 1);
  }

  /** The checkpoint of the frame has had its turn, and has a snapshot. */
  goOnFrame(L: LuaState, snapshot: Snapshot): void {
    this.goOn(L, snapshot);
    this.sealFrame();
  }

  /** A round of the loop has ended. @param next index of the next one */
  endRound(L: LuaState, next: number, isLast: boolean): void {
    this.sealRounds(next);
    const recorded = this.bridge.log.ended - this.since;
    if (isLast || (recorded < this.least && this.bridge.onCompacted === null)) return;
    if (!this.compact(L)) this.least *= 2;
  }

  /** The frame has ended well. */
  endFrame(L: LuaState): void {
    this.sealFrame();
    const recorded = this.bridge.log.ended - this.since;
    const least = this.begunWith === undefined ? leastEntries.frame : leastEntries.difference;
    if (recorded > least || this.bridge.onCompacted !== null) this.compact(L);
  }

  /** Nobody looks into rounds that have ended, nor into the frame. */
  private sealRounds(next: number): void {
    const { position } = this.frame;
    this.bridge.log.sealed.seal(outerPosition(position), ownIndex(position), next);
  }

  private sealFrame(): void {
    this.bridge.log.sealed.seal(this.frame.position, 0, Infinity);
  }

  private goOn(L: LuaState, snapshot: Snapshot): void {
    this.bridge.putSnapshot(L, this.frame, snapshot);
    this.noted(snapshot);
  }

  /** Takes a snapshot where one can be taken that is no larger than what it stands for. */
  private compact(L: LuaState): boolean {
    const { bridge, frame, first } = this;
    const { begunWith } = this;
    const isNew = countWritten(bridge) !== this.declared || hasOpenSince(bridge, this.registered);
    if (begunWith === null || isNew || bridge.log.hasSealedRest) return false;
    const snapshot = bridge.takeSnapshot(L, frame, begunWith);
    if (snapshot === null) return false;
    const replaced = bridge.log.replaceable(first);
    const bytes = replaced.reduce(
      (sum, { outcome }) => sum + entryBytes + jsonSize(asJson<Outcome>(outcome)),
      0,
    );
    const isSmaller = bytes >= jsonSize(asJson<Snapshot>(snapshot));
    if (!isSmaller && bridge.onCompacted === null) return false;
    bridge.meter.releaseCheckpoints(replaced);
    this.noted(snapshot);
    bridge.onCompacted?.(frame.position);
    return true;
  }

  private noted(snapshot: Snapshot): void {
    const { log } = this.bridge;
    log.compact(snapshot, this.first);
    this.since = log.ended - 1;
    this.least = leastEntries.rounds;
  }
}
