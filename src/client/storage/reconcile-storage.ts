import type { Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import { eachLimit } from '../server/each-limit.js';
import { namespaceIdOf } from '../server/server-calls.js';
import { readSnapshot } from '../runs/read-snapshot.js';
import type { Unasked } from '../lists/reconcile-index.js';
import { repairRecord, type RecordFinding } from './repair-record.js';
import { serverPages } from '../lists/server-list.js';
import { serverRun } from '../runs/server-run.js';
import { encodedBy } from './encoded-storage.js';
import { readMark } from './mirror-mark.js';
import type { StorageBackend } from './storage-backend.js';
import { askingWithin, type Asking } from '../runs/view-run.js';

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
  const storage = encodedBy(given, client.options.loadedDataConverter.payloadCodecs);
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
  if (removesGone && !isDryRun) await storage.deleteCheckpoint(id);
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
        if (error instanceof TactusError && error.code === 'no_worker') absence = error;
        throw error;
      }
    },
  };
}
