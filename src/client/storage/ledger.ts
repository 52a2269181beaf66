import { TactusError } from '../../contract/errors.js';
import type { LedgerFilter, LedgerRow, NumberedLedgerEvent } from '../../contract/graphs/ledger.js';
import { jsonAs } from '../../contract/json/json.js';
import { emptyMetadata, grown, type Growth } from './procedure-metadata.js';
import type { StorageBackend } from './storage-backend.js';

/** @throws TactusError usage of a filter that can't be meant */
export function checkLedgerFilter({ topic, after = 0, limit = 1 }: LedgerFilter): void {
  if (!Number.isSafeInteger(after) || after < 0)
    throw new TactusError('usage', `The number of an event must be a whole number from 0 on, got ${after}`);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new TactusError('usage', `The limit of a page must be a whole number of at least 1, got ${limit}`);
  if (topic !== undefined && typeof topic !== 'string')
    throw new TactusError('usage', 'The topic of events must be a text');
}

/** Those that a filter lets through. */
export function filteredLedger<T extends { topic: string; number: number }>(
  events: readonly T[],
  { topic, after = 0, limit = Infinity }: LedgerFilter,
): T[] {
  const wanted = events.filter(
    (event) => event.number > after && (topic === undefined || event.topic === topic),
  );
  return wanted.slice(0, limit);
}

/** In a storage that has no ledgers of its own, a ledger is a record: an event is an entry of its log. */
const ledgerPrefix = 'ledger:';

function ledgerRecordOf(procedureId: string): string {
  return ledgerPrefix + procedureId;
}

/** So many events are in one write at most. */
const eventsAtOnce = 500;
/** Of a ledger that was written last, so many of its newest events are known: what is told twice is told soon. */
const mostKnown = 1_000;
const mostLedgers = 1_000;
const mostTries = 100;

interface KnownLedger {
  count: number;
  newest: readonly string[];
}

/** By storage, and in it by procedure. */
const known = new WeakMap<StorageBackend, Map<string, KnownLedger>>();

/**
 * Keeps events of a ledger, each once.
 * @param isWhole all events of the run are told, also old ones
 */
export async function keepLedger(
  storage: StorageBackend,
  procedureId: string,
  rows: readonly LedgerRow[],
  { isWhole }: { isWhole: boolean },
): Promise<void> {
  if (rows.length === 0) return;
  if (storage.addLedger !== undefined) return storage.addLedger(procedureId, rows);
  const ledgers = known.get(storage) ?? new Map<string, KnownLedger>();
  known.set(storage, ledgers);
  const recordId = ledgerRecordOf(procedureId);
  let before = isWhole ? null : (ledgers.get(recordId) ?? null);
  for (let tries = 0; tries < mostTries; tries++) {
    before ??= await readKnown(storage, recordId);
    ledgers.delete(recordId);
    const after = await addRows(storage, recordId, before, rows);
    if (after === null) {
      before = null;
      continue;
    }
    const [oldest] = ledgers.keys();
    if (ledgers.size >= mostLedgers && oldest !== undefined) ledgers.delete(oldest);
    ledgers.set(recordId, { ...after, newest: after.newest.slice(-mostKnown) });
    return;
  }
  throw new TactusError('file_failed', `${recordId} is changed by others all the time`, { place: recordId });
}

async function readKnown(storage: StorageBackend, recordId: string): Promise<KnownLedger> {
  const { execution_log: log } = await storage.loadProcedureMetadata(recordId);
  return { count: log.length, newest: log.map(({ result }) => jsonAs<LedgerRow>(result).id) };
}

/** Null where somebody else has added some. */
async function addRows(
  storage: StorageBackend,
  recordId: string,
  before: KnownLedger,
  rows: readonly LedgerRow[],
): Promise<KnownLedger | null> {
  const there = new Set(before.newest);
  const fresh = rows.filter(({ id }) => !there.has(id));
  let { count } = before;
  for (let i = 0; i < fresh.length; i += eventsAtOnce) {
    const entries = fresh.slice(i, i + eventsAtOnce).map((row, j) => ({
      ...{ position: count + j, type: 'ledger_event', result: row, timestamp: '' },
      ...{ duration_ms: null, input_hash: null, run_id: null, source_location: null, captured_vars: null },
    }));
    const growth: Growth = {
      ...{ from: count, entries, state: { events: count + entries.length } },
      // It is no run: nobody is to look after it.
      ...{ status: 'COMPLETED', waiting_on_message_id: null },
    };
    if (!(await addNext(storage, recordId, growth))) return null;
    count += entries.length;
  }
  return { count, newest: [...before.newest, ...fresh.map(({ id }) => id)] };
}

/** Adds entries behind exactly those that there are. A storage of others that can't compare is written as a whole: by one process alone. */
export async function addNext(storage: StorageBackend, recordId: string, growth: Growth): Promise<boolean> {
  if (storage.appendNext !== undefined) return storage.appendNext(recordId, growth);
  const record = (await storage.loadCheckpoint(recordId)) ?? emptyMetadata(recordId);
  if (record.execution_log.length !== growth.from) return false;
  await storage.saveCheckpoint(recordId, grown(record, [growth]));
  return true;
}

/**
 * Reads the ledger of a run from the storage that it is mirrored to, the oldest events first.
 * @throws TactusError usage of a filter that can't be meant; file_failed
 */
export async function readLedger(
  storage: StorageBackend,
  procedureId: string,
  filter: LedgerFilter = {},
): Promise<NumberedLedgerEvent[]> {
  checkLedgerFilter(filter);
  if (storage.readLedger !== undefined) return storage.readLedger(procedureId, filter);
  const { execution_log: log } = await storage.loadProcedureMetadata(ledgerRecordOf(procedureId));
  const events = log.map(({ result }, i) => ({ ...jsonAs<LedgerRow>(result), number: i + 1 }));
  return filteredLedger(events, filter);
}

/** Removes the ledger of a run, where it is apart from its record. */
export async function removeLedger(storage: StorageBackend, procedureId: string): Promise<void> {
  if (storage.readLedger === undefined) await storage.deleteCheckpoint(ledgerRecordOf(procedureId));
}
