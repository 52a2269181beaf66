import type { Fault } from '../retries/failures.js';

/** Thrown where a call was refused for now, and nothing was done: it may be made again. */
export class NotDone extends Error {
  override readonly name = 'NotDone';

  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}
