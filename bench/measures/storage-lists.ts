import { MemoryStorage } from '../../dist/client/storage/memory-storage.js';
import { openStorage } from '../../dist/client/storage/open-storage.js';
import type { StorageBackend } from '../../dist/client/storage/storage-backend.js';
import { entryAt } from './storage-entries.ts';

const statuses = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'WAITING_FOR_HUMAN'];
/** So many records are written at once. */
const atOnce = 32;
const size = 50;

/** What pages of each kind took, in ms. */
export interface ListTimes {
  /** Filling it with records; nothing where they were there. */
  filledMs: number;
  first: number[];
  /** Behind a record, all over the list. */
  other: number[];
  byStatus: number[];
  byPrefix: number[];
}

/** Pages of 50 out of so many records, `pages` of each kind, those behind a record each from another place on. */
export async function measureLists(place: string, records: number, pages: number): Promise<ListTimes> {
  const storage: StorageBackend = place === 'memory:' ? new MemoryStorage() : await openStorage(place);
  const idAt = (i: number): string => id(Math.floor((i / pages) * (records - 5 * size)));
  const ask = async (filter: (i: number) => object): Promise<number[]> => {
    const times: number[] = [];
    for (let i = 0; i < pages; i++) {
      const start = performance.now();
      const found = await storage.listCheckpoints({ limit: size, ...filter(i) });
      times.push(performance.now() - start);
      if (found.length !== size) throw new Error(`${place} listed ${found.length} records`);
    }
    return times;
  };
  try {
    const filledMs = await fill(storage, records);
    return {
      filledMs,
      first: await ask(() => ({})),
      other: await ask((i) => ({ after: idAt(i) })),
      byStatus: await ask((i) => ({ status: 'WAITING_FOR_HUMAN', after: idAt(i) })),
      byPrefix: await ask((i) => ({ prefix: idAt(i).slice(0, -2) })),
    };
  } finally {
    await storage.close?.();
  }
}

function id(i: number): string {
  return `orders-${String(i).padStart(7, '0')}`;
}

async function fill(storage: StorageBackend, records: number): Promise<number> {
  const start = performance.now();
  let next = (await storage.listCheckpoints({ after: id(records - 2), limit: 1 })).length === 0 ? 0 : records;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < records; i = next++)
      await storage.saveCheckpoint(id(i), {
        status: statuses[i % statuses.length] ?? '',
        state: { i },
        execution_log: [entryAt(id(i), 0)],
        replay_index: 1,
      });
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return performance.now() - start;
}
