import { TactusError } from '../../../contract/errors.js';
import { canHold, placeOf, typeOf } from './recorded-answer.js';
import type { RecordedEntry } from './reference-record.js';

/** A flat record, read as what it stands for. */
export interface ReadEntries {
  /** What has ended and stands in no other entry, in order. */
  ended: RecordedEntry[];
  /** What the run waits for, or, where `isHolding`, what something waits in; null: nothing that is recorded. */
  waiting: { entry: RecordedEntry; isHolding: boolean } | null;
  /** Left behind by another run of the procedure; the reference passes over them. */
  strangers: number;
}

/**
 * Tells entries from those that stand inside of them. An entry that holds others takes the place of the first of them when it
 * ends, and is counted then: so the others stand behind it and ended before it, and the next position is one further on.
 * @throws TactusError non_determinism where the record can't have come about so; then the reference can't go on with it either
 */
export function readEntries(all: readonly RecordedEntry[]): ReadEntries {
  const own = ownEntries(all);
  const ended: RecordedEntry[] = [];
  let isPartlyLost = false;
  for (let at = 0; at < own.length;) {
    const entry = own[at] as RecordedEntry;
    const next = siblingOf(own, at);
    assertCounted(own, at, next, isPartlyLost);
    const inside = own.slice(at + 1, next);
    if (inside.some(isPending)) throw lost(entry, inside.at(-1) ?? entry);
    isPartlyLost ||= inside.length > 0;
    ended.push(entry);
    at = next;
  }
  const last = ended.at(-1);
  const strangers = all.length - own.length;
  if (last === undefined) return { ended, waiting: null, strangers };
  const isHolding = canHold(last.type) && last.result === null;
  if (!isHolding && !isPending(last)) return { ended, waiting: null, strangers };
  return { ended: ended.slice(0, -1), waiting: { entry: last, isHolding }, strangers };
}

/** A request to people, or a wait, that had no answer yet. */
function isPending({ type, result }: RecordedEntry): boolean {
  if (type.startsWith('hitl_')) return result === null;
  const isWait = type === 'scheduled_continuation' || type === 'external_children_wait';
  return isWait && result !== null && typeof result === 'object' && 'pending' in result;
}

/** Those of the run that the first one is of. Where another run began anew, the rest of the one before is still there. */
function ownEntries(all: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const [first] = all;
  const end = all.findIndex(({ runId }) => runId !== first?.runId);
  if (end < 0) return all;
  const again = all.slice(end).find(({ runId }) => runId === first?.runId);
  if (again !== undefined)
    throw unfit(
      again,
      `the record mixes entries of the runs ${first?.runId ?? ''} and ${all[end]?.runId ?? ''}`,
    );
  return all.slice(0, end);
}

/** The first entry after it that it doesn't hold. */
function siblingOf(own: readonly RecordedEntry[], at: number): number {
  const { endedAt } = own[at] as RecordedEntry;
  const next = own.findIndex((each, i) => i > at && each.endedAt >= endedAt);
  return next < 0 ? own.length : next;
}

/** How many entries were overwritten before the one at `at`. */
function gapAt(own: readonly RecordedEntry[], at: number): number {
  return (own[at] as RecordedEntry).position - at;
}

/** @throws TactusError non_determinism where positions and times contradict each other */
function assertCounted(own: readonly RecordedEntry[], at: number, next: number, isPartlyLost: boolean): void {
  const entry = own[at] as RecordedEntry;
  const isHolding = canHold(entry.type);
  const inside = next - at - 1;
  if (!isHolding && inside > 0)
    throw unfit(own[at + 1] as RecordedEntry, `it ended before ${entry.type} at ${entry.position} did`);
  const following = own[next];
  if (at === 0 && entry.position !== 0) throw missing(entry, 0);
  if (following === undefined) return;
  const rise = gapAt(own, next) - gapAt(own, at);
  // The reference has counted anew: it resumed the run.
  if (rise < 0 && following.position !== next) throw missing(following, next);
  if (rise < 0 && (isPartlyLost || inside > 0))
    throw unfit(
      following,
      'the reference resumed the run after a procedure with several checkpoints, and took the answers of one for those of others',
    );
  if (rise > 0 && !isHolding) throw missing(following, following.position - rise);
  if (rise === 0 && inside > 0)
    throw unfit(
      own[at + 1] as RecordedEntry,
      `it is told to have ended inside of position ${entry.position}`,
    );
}

function lost(holding: RecordedEntry, waiting: RecordedEntry): TactusError {
  const name = holding.place?.function ?? holding.type;
  return unfit(
    holding,
    `${name} waits (${waiting.type} at ${waiting.position}), and what it had done before is overwritten in the record`,
  );
}

function missing(entry: RecordedEntry, expected: number): TactusError {
  return unfit(entry, `an entry is missing before it: ${expected} is expected`);
}

/** The record, or an entry of it, is none that can be carried over. */
export function unfit(entry: RecordedEntry, problem: string): TactusError {
  const { position, type } = entry;
  const at = placeOf(entry);
  return new TactusError(
    'non_determinism',
    `position ${position} (${type}) can't be carried over: ${problem}`,
    {
      position: String(position),
      expected: { position: String(position), type: typeOf(type) ?? type },
      found: null,
      ...(at ?? {}),
    },
  );
}
