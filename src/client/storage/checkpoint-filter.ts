import { TactusError } from '../../contract/errors.js';
import { isWellFormed } from './procedure-id.js';

/** Which checkpoints to list; all of them without a filter. */
export interface CheckpointFilter {
  status?: string;
  /** How the procedure's id begins. */
  prefix?: string;
  /** So many at most. */
  limit?: number;
  /** Those behind this id alone, which need not be there: with `limit`, the last id of a page gives the following one. */
  after?: string;
}

/** @throws TactusError usage of a filter that can't be meant */
export function checkFilter({ prefix = '', limit = 1, after = '' }: CheckpointFilter): void {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new TactusError('usage', `A page has a whole number of at least 1, not ${limit}`);
  for (const text of [prefix, after])
    if (!isWellFormed(text))
      throw new TactusError('usage', `No procedure id begins with ${JSON.stringify(text)}`);
}
