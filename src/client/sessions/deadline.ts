import { TactusError } from '../../contract/errors.js';
import { readDuration } from '../../contract/time/duration.js';

const shortestMs = 1_000;

/** One moment that bounds all attempts of a loop together. */
export class Deadline {
  readonly expiresAt: Date;

  /**
   * Checks the moment. The texts of errors are WINK's.
   * @throws TactusError usage of a moment that is none, is over, or is less than a second ahead
   */
  constructor(expiresAt: Date) {
    const moment = expiresAt.getTime();
    if (Number.isNaN(moment)) throw new TactusError('usage', 'Deadline expires_at must be a date.');
    if (moment <= Date.now()) throw new TactusError('usage', 'Deadline expires_at must be in the future.');
    if (moment - Date.now() < shortestMs)
      throw new TactusError('usage', 'Deadline must be at least one second in the future.');
    this.expiresAt = new Date(moment);
  }

  /**
   * Makes the deadline that is so long ahead.
   * @param time seconds, or a text such as `2h`
   * @throws TactusError usage
   */
  static in(time: string | number): Deadline {
    return new Deadline(new Date(Date.now() + readDuration(time, 'The deadline', 'usage')));
  }

  /** Gives the time that is left, in ms; none is left once it is over. */
  remaining(): number {
    return Math.max(0, this.expiresAt.getTime() - Date.now());
  }
}

/** Says that the deadline of a loop is over: no attempt begins any more. Its code is `deadline_exceeded`. */
export class DeadlineExceededError extends TactusError<'deadline_exceeded'> {
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is DeadlineExceededError;

  constructor(message: string, runId: string) {
    super('deadline_exceeded', message, { run_id: runId });
  }
}
