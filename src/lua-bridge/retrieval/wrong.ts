import { TactusError } from '../../contract/errors.js';

/** A declaration says what can't be. */
export function wrong(problem: string): TactusError {
  return new TactusError('source_invalid', problem);
}
