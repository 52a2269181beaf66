import type { StorageBackend } from '../../dist/client/storage/storage-backend.js';
import { entryAt } from './storage-entries.ts';
import { forEachOf, recordId } from './storage-lists.ts';

const statuses = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'WAITING_FOR_HUMAN'];

/** Fills a storage with so many records, every fifth of which waits for a person. */
export function fillRecords(storage: StorageBackend, records: number): Promise<void> {
  return forEachOf(records, async (i) =>
    storage.saveCheckpoint(recordId(i), {
      status: statuses[i % statuses.length] ?? '',
      state: { i },
      execution_log: [entryAt(recordId(i), 0)],
      replay_index: 1,
    }),
  );
}
