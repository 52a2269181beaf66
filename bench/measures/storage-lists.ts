import { openStorage } from '../../dist/client/storage/open-storage.js';
import type { StorageBackend } from '../../dist/client/storage/storage-backend.js';
import { entryAt } from './storage-entries.ts';

const statuses = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'WAITING_FOR_HUMAN'];
const questions = 100;
/** Where a question takes seconds, fewer are asked: after so many ms no more, but so many at least. */
const longestMs = 20_000;
const fewest = 5;
const atOnce = 32;

/** Pages of 50 out of so many records, each from another place on: times in ms. */
export async function measureLists(
  place: string,
  records: number,
): Promise<{ byStatus: number[]; byPrefix: number[] }> {
  const storage = await openStorage(place);
  try {
    await fill(storage, records);
    const idAt = (i: number): string => id(Math.floor((i / questions) * records));
    const ask = async (filter: (i: number) => object): Promise<number[]> => {
      const times: number[] = [];
      const end = performance.now() + longestMs;
      for (let i = 0; i < questions && (performance.now() < end || i < fewest); i++) {
        const start = performance.now();
        const found = await storage.listCheckpoints({ limit: 50, ...filter(i) });
        times.push(performance.now() - start);
        if (found.length === 0 && i < questions / 2) throw new Error(`${place} listed nothing`);
      }
      return times;
    };
    return {
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

async function fill(storage: StorageBackend, records: number): Promise<void> {
  let next = 0;
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
}
