import type { Client } from '@temporalio/client';
import { hasCode, TactusError } from '../../contract/errors.js';
import { eachLimit } from '../concurrency.js';
import { namespaceIdOf } from '../server/server-calls.js';
import { keepLedger, removeLedger } from './ledger.js';
import { openTactusStatuses, readSnapshot, toProcedureMetadata, type ReadRun } from '../runs/snapshot.js';
import type { Unasked } from '../lists/reconcile-index.js';
import { serverPages, serverRun } from '../lists/server-runs.js';
import { encodedBy } from './encoded-storage.js';
import { isBefore, readMark, type MirrorMark, type ProcedureMetadata } from './procedure-metadata.js';
import type { StorageBackend } from './storage-backend.js';
import { askingWithin, type Asking } from '../runs/view-run.js';
import { ledgerOf } from '../../contract/graphs/ledger.js';
import { canonicalJson } from '../../contract/json/json.js';

export interface StorageReconcileOptions {
  /** How runs are asked; left out: over the client, for ten seconds each. */
  asking?: Asking;
  /** Compares, and writes nothing. */
  isDryRun?: boolean;
  /** Removes the records of runs that the server has deleted. Left out: they stay. */
  removesGone?: boolean;
  /** Told, after each run, of what was found so far. */
  onProgress?: (found: StorageReconciled) => void;
}

/** What was found, by how many records it was found of. */
export type StorageReconciled = Record<RecordFinding, number> & {
  /** Runs that the server has. */
  runs: number;
  /** Runs whose records couldn't be compared or written, and why. */
  failed: Unasked[];
};

const atOnce = 8;
/** How long a run's answer is waited for, in ms. */
const answerMs = 10_000;
const pageSize = 1_000;

/**
 * Makes the records of a storage say what the runs of a namespace say: each run is asked, and what differs from it is written. Records that
 * the mirror hasn't written are left alone, and so are those of other namespaces. `gone` counts records of runs that the server has
 * deleted, by its retention. Where the client has payload codecs, records are kept as they make them, as workers do it.
 * @throws what the server's list or the storage's fails with; single runs and records that fail are in `failed`
 */
export async function reconcileStorage(
  client: Client,
  given: StorageBackend,
  options: StorageReconcileOptions = {},
): Promise<StorageReconciled> {
  const { loadedDataConverter, namespace } = client.options;
  const storage = encodedBy(given, loadedDataConverter.payloadCodecs, namespace);
  const { isDryRun = false, onProgress } = options;
  const asking = givingUp(options.asking ?? askingWithin(client, answerMs));
  const found: StorageReconciled = {
    ...{ runs: 0, same: 0, missing: 0, damaged: 0, ended: 0, behind: 0, wrong: 0, gone: 0 },
    failed: [],
  };
  const listed = new Set<string>();
  const each = async (runId: string, work: () => Promise<RecordFinding | null>): Promise<void> => {
    try {
      const finding = await work();
      if (finding !== null) found[finding] += 1;
    } catch (error) {
      found.failed.push({ run_id: runId, reason: error instanceof Error ? error.message : String(error) });
    }
    onProgress?.(found);
  };
  for await (const page of serverPages(client, [])) {
    // An id that was used again is listed with each of its runs; its record is that of the last.
    const ids = new Set(page.map(({ run_id }) => run_id).filter((runId) => !listed.has(runId)));
    found.runs += ids.size;
    for (const runId of ids) listed.add(runId);
    await eachLimit([...ids], atOnce, (runId) => {
      const read = () => readSnapshot(client, runId, asking);
      return each(runId, async () => {
        const finding = await repairRecord(storage, runId, { read, isDryRun });
        // Deleted since it was listed: counted with the others of its kind.
        if (finding === 'gone') listed.delete(runId);
        return finding === 'gone' ? null : finding;
      });
    });
  }
  for await (const ids of recordPages(storage)) {
    const unlisted = ids.filter((id) => !listed.has(id));
    await eachLimit(unlisted, atOnce, (id) => each(id, () => unlistedRecord(client, storage, id, options)));
  }
  return found;
}

/** A record of no listed run: its run is deleted, or so new that the list doesn't have it yet. */
async function unlistedRecord(
  client: Client,
  storage: StorageBackend,
  id: string,
  { isDryRun = false, removesGone = false }: StorageReconcileOptions,
): Promise<'gone' | null> {
  const mark = readMark((await storage.loadCheckpoint(id))?.mirrored);
  if (mark?.namespace !== (await namespaceIdOf(client))) return null;
  if ((await serverRun(client, id)) !== null) return null;
  if (removesGone && !isDryRun) {
    await removeLedger(storage, id);
    await storage.deleteCheckpoint(id);
  }
  return 'gone';
}

async function* recordPages(storage: StorageBackend): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    const ids = await storage.listCheckpoints({ limit: pageSize, ...(after === '' ? {} : { after }) });
    yield ids;
    after = ids.at(-1) ?? '';
    if (ids.length < pageSize) return;
  }
}

/** Where no worker has answered yet for any run, none would for the others, which would each be waited for. */
function givingUp({ ask, look }: Asking): Asking {
  let absence: TactusError | null = null;
  let isThere = false;
  return {
    look,
    ask: async (question, isOpen) => {
      if (absence !== null && !isThere) throw absence;
      try {
        const answer = await ask(question, isOpen);
        isThere = true;
        return answer;
      } catch (error) {
        if (hasCode(error, 'no_worker')) absence = error;
        throw error;
      }
    },
  };
}

/**
 * How the record of a run was found.
 *
 * - `same`: it has all that the run has.
 * - `missing`, `damaged`: there is none, or it can't be read.
 * - `ended`: it says that the run goes on, which is over.
 * - `behind`: the run has come further, entries are missing as it couldn't be asked, or the record doesn't say how far it had come.
 * - `wrong`: it says how far the run has come, and something else than the run.
 * - `gone`: the server has no such run.
 */
export type RecordFinding = 'same' | 'missing' | 'damaged' | 'ended' | 'behind' | 'wrong' | 'gone';

interface RepairOptions {
  /** Reads the run; null where the server has none. */
  read: () => Promise<ReadRun | null>;
  /** Leaves the record as it is. */
  isDryRun?: boolean;
}

/**
 * Makes the record of a run what the run is. Keys that nobody here knows stay, unless the record is damaged.
 * @throws TactusError no_worker where the run is over and couldn't be asked: its end is in the record by then, where there is one
 */
export async function repairRecord(
  storage: StorageBackend,
  runId: string,
  { read, isDryRun = false }: RepairOptions,
): Promise<RecordFinding> {
  // First: what is read of the run then can't be older, unless nobody ever took what the record has.
  const record = await loadOrDamaged(storage, runId);
  const run = await read();
  if (run === null) return 'gone';
  const known = record === 'damaged' ? null : record;
  const right = rightRecord(run, known);
  const finding = record === 'damaged' ? 'damaged' : findingOf(storage, known, right);
  if (!isDryRun) {
    await keepLedger(storage, runId, ledgerOf(run.snapshot.log), { isWhole: true });
    if (finding !== 'same' && (run.unread === null || known !== null)) await replace(storage, record, right);
  }
  if (run.unread !== null) throw new TactusError('no_worker', run.unread);
  return finding;
}

/** The record of a procedure; null where there is none. */
export async function loadOrDamaged(
  storage: StorageBackend,
  runId: string,
): Promise<ProcedureMetadata | 'damaged' | null> {
  try {
    return await storage.loadCheckpoint(runId);
  } catch (error) {
    if (hasCode(error, 'file_failed')) return 'damaged';
    throw error;
  }
}

/** The record as it ought to be. */
function rightRecord(
  { snapshot, isRough, unread }: ReadRun,
  before: ProcedureMetadata | null,
): ProcedureMetadata {
  const told = toProcedureMetadata(snapshot);
  const { status, waiting_on_message_id, mirrored } = told;
  if (before === null) return told;
  if (unread !== null) return { ...before, ...ended(before, { status, waiting_on_message_id, mirrored }) };
  const known = new Map(before.execution_log.map((entry) => [entry.position, entry]));
  // What can't be read whole isn't compared.
  const execution_log = isRough
    ? told.execution_log.map((entry) => {
        const there = known.get(entry.position);
        return there?.timestamp === entry.timestamp && there.type === entry.type ? there : entry;
      })
    : told.execution_log;
  return { ...before, ...told, lua_state: before.lua_state, execution_log };
}

type Head = Pick<ProcedureMetadata, 'status' | 'waiting_on_message_id'> & {
  mirrored?: MirrorMark | undefined;
};

/** The server's word alone says how a run ended, but not how far it had come: what a record says of that stays. */
function ended(before: ProcedureMetadata, { mirrored, ...head }: Head): Partial<ProcedureMetadata> {
  const known = readMark(before.mirrored);
  if (mirrored === undefined) return head;
  return { ...head, mirrored: known?.execution === mirrored.execution ? { ...known, over: true } : mirrored };
}

function findingOf(
  storage: StorageBackend,
  record: ProcedureMetadata | null,
  right: ProcedureMetadata,
): RecordFinding {
  if (record === null) return 'missing';
  const [mark, rightMark] = [readMark(record.mirrored), readMark(right.mirrored)];
  if (
    (storage.supersede === undefined || hasComeAsFar(mark, rightMark)) &&
    comparedText(record) === comparedText(right)
  )
    return 'same';
  if (openTactusStatuses.includes(record.status) && !openTactusStatuses.includes(right.status))
    return 'ended';
  return mark === null || isBefore(mark, rightMark) ? 'behind' : 'wrong';
}

/**
 * What a run counts within a task differs where the task is computed once more; and a record may be of a task that the server never took,
 * after which comes nothing else.
 */
function hasComeAsFar(mark: MirrorMark | null, right: MirrorMark | null): boolean {
  if (mark === null || right === null || mark.partial === true) return false;
  return mark.execution === right.execution && mark.over === right.over && mark.length >= right.length;
}

function comparedText({
  status,
  waiting_on_message_id,
  state,
  replay_index,
  execution_log,
}: ProcedureMetadata): string {
  return canonicalJson({ status, waiting_on_message_id, state, replay_index, execution_log });
}

/** What the run tells in the meantime is newer, and stays. */
async function replace(
  storage: StorageBackend,
  before: ProcedureMetadata | 'damaged' | null,
  right: ProcedureMetadata,
): Promise<void> {
  // What a damaged one says isn't believed. Else it was told in a workflow task that the server never took, or by somebody else:
  // nothing would come after it.
  const isBelieved = before !== 'damaged' && !isBefore(readMark(right.mirrored), readMark(before?.mirrored));
  if (storage.supersede === undefined || !isBelieved)
    await storage.saveProcedureMetadata(right.procedure_id, right);
  else await storage.supersede(right.procedure_id, right);
}
