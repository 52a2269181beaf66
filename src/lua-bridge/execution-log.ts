import type { Checkpoint } from '../contract/checkpoint.js';
import { TactusError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import type { Position } from '../contract/position.js';
import { cutMessage } from './lua-error.js';

/** What is compared of a checkpoint: that the same thing is asked for at the same place. */
export interface CheckpointKey {
  position: Position;
  type: string;
  name: string;
  digest: string;
}

/**
 * The checkpoints of a run in the order in which they ended. The first of them may be carried: recorded before
 * this start, they answer in exactly that order, and what the procedure asks for must fit them.
 */
export class ExecutionLog {
  readonly entries: Checkpoint[];
  private readonly carried: ReadonlyMap<Position, Checkpoint>;
  private carriedCount: number;
  private readonly byPosition = new Map<Position, Checkpoint>();
  private answered = 0;

  /**
   * @param isAwaited whether the procedure waits for the effect at a position, or has given it up
   * @param onKept told of each checkpoint that the log holds
   */
  constructor(
    carried: readonly Checkpoint[],
    private readonly isAwaited: (position: Position) => boolean,
    private readonly onKept: (checkpoint: Checkpoint) => void,
  ) {
    this.entries = [...carried];
    this.carriedCount = carried.length;
    carried.forEach(onKept);
    this.carried = new Map(carried.map((entry) => [entry.position, entry]));
  }

  /** The carried checkpoint that must end next, or null where nothing is left to replay. */
  get next(): Checkpoint | null {
    return this.answered < this.carriedCount ? (this.entries[this.answered] ?? null) : null;
  }

  get isReplaying(): boolean {
    return this.answered < this.carriedCount;
  }

  /** How many checkpoints have ended, in this replay or before. */
  get ended(): number {
    return this.isReplaying ? this.answered : this.entries.length;
  }

  /** The checkpoint at a position, if it has ended. */
  find(position: Position): Checkpoint | null {
    return this.byPosition.get(position) ?? null;
  }

  /**
   * Compares what is asked for with what was recorded at the same position. `shown`: the input, for the error alone.
   * @throws TactusError non_determinism where they differ
   */
  check(asked: CheckpointKey, source: { file: string; line: number } | null, shown: () => JsonValue): void {
    const recorded = this.carried.get(asked.position);
    if (recorded === undefined) return;
    if (recorded.type === asked.type && recorded.name === asked.name && recorded.digest === asked.digest)
      return;
    throw mismatch(recorded, { ...asked, input: shown() }, source);
  }

  /**
   * A checkpoint has ended. While replaying it must be the next carried one, whose recorded form is kept.
   * @returns the checkpoint as it stands in the log
   */
  end(checkpoint: Checkpoint): Checkpoint {
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
    if (
      recorded.position !== checkpoint.position ||
      recorded.type !== checkpoint.type ||
      recorded.name !== checkpoint.name
    )
      throw mismatch(recorded, checkpoint, checkpoint.source);
    this.answered++;
    this.byPosition.set(recorded.position, recorded);
    return recorded;
  }

  private restIsAwaited(): boolean {
    return this.entries
      .slice(this.answered, this.carriedCount)
      .every(({ position }) => this.isAwaited(position));
  }
}

function mismatch(
  recorded: Checkpoint,
  asked: CheckpointKey & { input: JsonValue },
  source: { file: string; line: number } | null,
): TactusError {
  const same = recorded.type === asked.type && recorded.name === asked.name;
  const difference =
    same && recorded.position === asked.position ? ` with other arguments${bothInputs(recorded, asked)}` : '';
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${asked.position}: recorded is ${describe(recorded)}, the procedure now asks for ${describe(asked)}${difference}`,
    {
      position: asked.position,
      expected: {
        position: recorded.position,
        type: recorded.type,
        name: recorded.name,
        digest: recorded.digest,
      },
      found: { position: asked.position, type: asked.type, name: asked.name, digest: asked.digest },
      ...(source ?? {}),
    },
  );
}

/** Empty where what is shown of them is the same: of a conversation, for one, that is little. */
function bothInputs(recorded: { input: JsonValue }, asked: { input: JsonValue }): string {
  const [before, now] = [recorded.input, asked.input].map((input) => cutMessage(JSON.stringify(input), 300));
  return before === now ? '' : `: ${before} then, ${now} now`;
}

function describe(key: CheckpointKey): string {
  return `${key.type} '${key.name}' at ${key.position}`;
}

/** The log holds a checkpoint that the procedure no longer comes to. */
export function neverReached(recorded: Checkpoint, pending: readonly CheckpointKey[]): TactusError {
  const found = pending.map(describe).join(', ') || 'its end';
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${recorded.position}: recorded is ${describe(recorded)}, the procedure now comes to ${found}`,
    {
      position: recorded.position,
      expected: {
        position: recorded.position,
        type: recorded.type,
        name: recorded.name,
        digest: recorded.digest,
      },
      found: pending.map(({ position, type, name, digest }) => ({ position, type, name, digest })),
      ...(recorded.source === null ? {} : { file: recorded.source.file, line: recorded.source.line }),
    },
  );
}
