import type { CarriedAnswer, CarriedAnswers } from '../contract/runs/carried-answers.js';
import type { SourceLine } from '../contract/checkpoints/checkpoint.js';
import type { CheckpointKey } from './compare.js';
import { otherAnswer } from './non-determinism.js';

/** Answers that were recorded elsewhere, and that the procedure has yet to ask for. */
export class AwaitedAnswers {
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
