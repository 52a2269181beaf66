import { Fault } from '../../retries/failures.js';

/** A message can't be sent, and nothing is wrong with its channel. */
export class AloneFault extends Fault {
  constructor(message: string) {
    super(message, { retryable: false });
  }
}
