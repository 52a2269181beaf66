import type { CheckpointFilter } from '../checkpoint-filter.js';

/** The bytes between which the ids of a list are, in UTF-8: those from `from` on, and before `to`. */
export interface IdRange {
  from: Buffer;
  to: Buffer;
}

/** Where the ids of a list are, none of which has more bytes than the longest. Null where no id can be. */
export function idRange(
  { prefix = '', after = '' }: Pick<CheckpointFilter, 'prefix' | 'after'>,
  longest: number,
): IdRange | null {
  const [begin, behind] = [Buffer.from(prefix), Buffer.from(after)];
  // What is longer than all ids is cut: no id that comes behind it is before its beginning.
  const next = Buffer.concat([behind.subarray(0, longest), Buffer.from([0])]);
  const from = behind.length > 0 && Buffer.compare(next, begin) > 0 ? next : begin;
  // No text in UTF-8 has this byte.
  const to = Buffer.concat([begin, Buffer.from([0xff])]);
  return begin.length > longest || Buffer.compare(from, to) >= 0 ? null : { from, to };
}
