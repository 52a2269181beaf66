import { TactusError } from '../../contract/errors.js';

/** What is told of a record that can't be read. `place` names where it is kept. */
export function damagedRecord(place: string, error: unknown): TactusError {
  const reason = error instanceof Error ? error.message : String(error);
  return new TactusError('file_failed', `${place} is damaged, and was left as it is: ${reason}`, { place });
}
