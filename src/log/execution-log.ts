import type { CarriedAnswer, CarriedAnswers } from '../contract/runs/carried-answers.js';
import type { Checkpoint, Position, SourceLine } from '../contract/checkpoints/checkpoint.js';
import { readSnapshot, type Snapshot } from '../contract/checkpoints/snapshot.js';
import type { TactusError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json/json.js';
import {
  closedBefore,
  compareAsked,
  isSamePlace,
  mismatch,
  otherAnswer,
  type Asked,
  type CheckpointKey,
  type Judge,
} from './compare.js';
import { Compaction, lateAnswers, Sealed, startOf, type LateAnswer, type LogStart } from './compaction.js';

/** Answers that were recorded elsewhere, and that the procedure has yet to ask for. */
class AwaitedAnswers {
  private readonly types: ReadonlySet<string>;
  private readonly answers: readonly CarriedAnswer[];
  private taken = 0;

  constructor({ types, answers }: CarriedAnswers = { types: [], answers: [] }) {
    this.types = new Set(types);
    this.answers = answers;
  }

  /** The one that is to be asked for next; null: there are no more. */
  get next(): CarriedAnswer | null {
    return this.answers[this.taken] ?? null;
  }

  /** Those that haven't been asked for; null: there are no more. */
  get left(): CarriedAnswers | null {
    if (this.next === null) return null;
    return { types: [...this.types], answers: this.answers.slice(this.taken) };
  }

  /**
   * The answer to what is asked for; null where nothing is recorded of its type, or no more.
   * @throws TactusError non_determinism where something else is to be asked for next
   */
  take(asked: CheckpointKey, source: SourceLine | null): CarriedAnswer | null {
    const { next } = this;
    if (next === null || !this.types.has(asked.type)) return null;
    if (next.type !== asked.type || !isOfName(next, asked.name)) throw otherAnswer(next, asked, source);
    this.taken++;
    return next;
  }
}

/** In a step, what is asked for has the step's name before its own. */
function isOfName({ name }: CarriedAnswer, asked: string): boolean {
  return name === undefined || name === asked || asked.endsWith(`.${name}`);
}

/** A checkpoint with a snapshot beside it. */
export type SnapshotCheckpoint = Checkpoint & { snapshot: Snapshot };

function hasSnapshot(checkpoint: Checkpoint): checkpoint is SnapshotCheckpoint {
  return checkpoint.snapshot !== undefined;
}

/**
 * The checkpoints of a run in the order in which they ended. The first of them may be carried: recorded before
 * this start, they answer in exactly that order, and what the procedure asks for must fit them.
 *
 * Owns: the list of checkpoints, how many are carried, and how many of these have answered.
 * Asks: whether the procedure waits for a position (`isAwaited`).
 * Invariants:
 *  1. Checkpoints are added, never changed or removed. New ones come after the carried ones that have answered, and before
 *     carried ones that nobody has looked at yet.
 *  2. `find` gives what has ended in this replay. `carriedAt` gives what was recorded before it.
 *  3. A carried checkpoint answers once, and only what has its type, name and position.
 *  4. What a snapshot stands for stays in the list, for readers. Another execution isn't handed it.
 */
export class ExecutionLog {
  readonly entries: Checkpoint[];
  /** Where the part of it begins that readers see here. */
  readonly start: LogStart;
  /** What is recorded inside of frames and rounds that have ended. */
  readonly sealed = new Sealed();
  private readonly carried: ReadonlyMap<Position, Checkpoint>;
  private carriedCount: number;
  private readonly byPosition = new Map<Position, Checkpoint>();
  private answered = 0;
  private readonly awaited: AwaitedAnswers;
  private readonly compaction = new Compaction();
  /** How many checkpoints had ended at the newest snapshot, and where that stands. */
  private base = { checkpoints: 0, index: 0 };
  /** Of the carried checkpoints; null: nobody has asked yet. */
  private late: LateAnswer[] | null = null;
  /** Carried checkpoints that have a snapshot, by its frame. */
  private readonly snapshots = new Map<Position, SnapshotCheckpoint>();

  /**
   * @param isAwaited whether the procedure waits for the effect at a position, or has given it up
   * @param onKept told of each checkpoint that the log holds
   * @param answers recorded elsewhere: they answer what is asked for once the carried checkpoints are used up
   * @param judge has a say on what is asked for; left out: digests alone decide
   */
  constructor(
    carried: readonly Checkpoint[],
    private readonly isAwaited: (position: Position) => boolean,
    private readonly onKept: (checkpoint: Checkpoint) => void,
    answers?: CarriedAnswers,
    private readonly judge?: Judge,
  ) {
    this.awaited = new AwaitedAnswers(answers);
    this.entries = [...carried];
    this.carriedCount = carried.length;
    carried.forEach(onKept);
    this.carried = new Map(carried.map((entry) => [entry.position, entry]));
    this.start = startOf(carried);
    for (const entry of carried)
      if (hasSnapshot(entry)) this.snapshots.set(readSnapshot(entry.snapshot).frame, entry);
  }

  /** The carried checkpoint with the snapshot at which the log of this frame begins; null: it has none. */
  snapshotOf(frame: Position): SnapshotCheckpoint | null {
    return this.snapshots.get(frame) ?? null;
  }

  /**
   * From now on a snapshot stands for what was recorded in its frame. It was taken after the last entry.
   * @param first how many entries had ended before the frame
   */
  compact(snapshot: Snapshot, first: number): void {
    this.compaction.add(snapshot, first, this.ended);
    this.base = { checkpoints: snapshot.checkpoints, index: this.ended };
  }

  /** What another execution needs by now of the entries before the last: a new snapshot would stand for them. @param first index of the first */
  replaceable(first: number): readonly Checkpoint[] {
    return this.compaction.needed(this.entries, first, this.ended - 1);
  }

  /**
   * Answers are yet to have their turn that were recorded for what was given up inside of something that has ended: who goes on from a
   * snapshot of it would not know of them.
   */
  get hasSealedRest(): boolean {
    if (!this.isReplaying) return false;
    this.late ??= lateAnswers(this.entries.slice(0, this.carriedCount));
    return this.late.some(({ at, position }) => at >= this.answered && this.sealed.has(position));
  }

  /** Another execution begins at a later place than this one. */
  get isCompacted(): boolean {
    return (this.compaction.newest?.checkpoints ?? 0) > this.start.checkpoints;
  }

  /** What another execution needs of it. */
  get needed(): readonly Checkpoint[] {
    return this.compaction.needed(this.entries);
  }

  /** How many checkpoints of this pass have ended by now: those that a snapshot stands for among them. */
  get count(): number {
    return this.base.checkpoints + this.ended - this.base.index;
  }

  /** The carried checkpoint that must end next, or null where nothing is left to replay. */
  get next(): Checkpoint | null {
    return this.isReplaying ? (this.entries[this.answered] ?? null) : null;
  }

  get isReplaying(): boolean {
    return this.answered < this.carriedCount;
  }

  /** Something has ended that wasn't recorded before this start. */
  get isBeyondCarried(): boolean {
    return this.entries.length > this.carriedCount;
  }

  /** How many checkpoints have ended, in this replay or before. */
  get ended(): number {
    return this.isReplaying ? this.answered : this.entries.length;
  }

  /** The checkpoint at a position, if it has ended. */
  find(position: Position): Checkpoint | null {
    return this.byPosition.get(position) ?? null;
  }

  /** Whether an answer says what was used for this position, which nobody waits for any more. */
  hasSpent(position: Position): boolean {
    return this.entries.some(
      ({ outcome }) => outcome.spent?.some((spent) => spent.position === position) === true,
    );
  }

  /** What was recorded at a position before this start; null: nothing. */
  carriedAt(position: Position): Checkpoint | null {
    return this.carried.get(position) ?? null;
  }

  /**
   * Compares what is asked for with what was recorded at the same position. `shown`: the input, for the error alone.
   * @throws TactusError non_determinism where they differ; NewerVersionError
   */
  check(asked: Asked, source: SourceLine | null, shown: () => JsonValue): void {
    this.judge?.onAsked(asked, source);
    const recorded = this.carried.get(asked.position);
    if (recorded === undefined || this.answers(recorded, asked)) return;
    throw mismatch(recorded, { ...(compareAsked(recorded, asked) ?? asked), input: shown() }, source);
  }

  /**
   * Whether what is recorded there is an answer to what is asked for.
   * @throws NewerVersionError
   */
  answers(recorded: Checkpoint, asked: Asked): boolean {
    return compareAsked(recorded, asked) === null || this.judge?.accepts(recorded, asked) === true;
  }

  /** Answers that were recorded elsewhere and haven't been asked for; null: there are none. */
  get answersLeft(): CarriedAnswers | null {
    return this.awaited.left;
  }

  /** The next of them; null: there is none. */
  get nextAnswer(): CarriedAnswer | null {
    return this.awaited.next;
  }

  /**
   * What was recorded elsewhere of what is asked for; null where nothing is, and where this log has it.
   * @throws TactusError non_determinism
   */
  takeAnswer(asked: CheckpointKey, source: SourceLine | null): CarriedAnswer | null {
    return this.carried.has(asked.position) ? null : this.awaited.take(asked, source);
  }

  /**
   * Adds a checkpoint that has ended. While replaying it must be the next carried one, whose recorded form is kept.
   * @returns the checkpoint as it stands in the log
   * @throws TactusError non_determinism
   */
  append(checkpoint: Checkpoint): Checkpoint {
    const recorded = this.next;
    if (recorded === null) {
      this.byPosition.set(checkpoint.position, checkpoint);
      this.entries.push(checkpoint);
      this.onKept(checkpoint);
      return checkpoint;
    }
    if (!this.carried.has(checkpoint.position) && this.restIsAwaited()) {
      // What is left are answers that the last execution had, but not looked at: this frame ends before them.
      this.entries.splice(this.answered++, 0, checkpoint);
      this.carriedCount++;
      this.onKept(checkpoint);
      this.byPosition.set(checkpoint.position, checkpoint);
      return checkpoint;
    }
    if (!isSamePlace(recorded, checkpoint)) throw this.otherThanNext(recorded, checkpoint);
    this.answered++;
    this.byPosition.set(recorded.position, recorded);
    return recorded;
  }

  private otherThanNext(recorded: Checkpoint, frame: Checkpoint): TactusError {
    const isNew = !this.carried.has(frame.position);
    return isNew ? mismatch(recorded, frame, frame.source) : closedBefore(recorded, frame);
  }

  private restIsAwaited(): boolean {
    return this.rest.every(({ position }) => this.isAwaited(position));
  }

  /** Carried checkpoints that haven't answered. */
  private get rest(): Checkpoint[] {
    return this.entries.slice(this.answered, this.carriedCount);
  }
}
