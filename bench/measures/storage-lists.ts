import type { StorageBackend } from '../../dist/client/storage/storage-backend.js';

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

/**
 * Pages of 50 out of so many records, `pages` of each kind, those behind a record each from another place on.
 * @param fill makes the records, unless they are there
 * @param status of every fifth of them, or more
 */
export async function measureLists(
  storage: StorageBackend,
  { records, pages, status }: { records: number; pages: number; status: string },
  fill: (records: number) => Promise<void>,
): Promise<ListTimes> {
  const idAt = (i: number): string => recordId(Math.floor((i / pages) * (records - 5 * size)));
  const ask = async (filter: (i: number) => object): Promise<number[]> => {
    const times: number[] = [];
    for (let i = 0; i < pages; i++) {
      const start = performance.now();
      const found = await storage.listCheckpoints({ limit: size, ...filter(i) });
      times.push(performance.now() - start);
      if (found.length !== size) throw new Error(`${found.length} records were listed`);
    }
    return times;
  };
  const start = performance.now();
  const isFilled = (await storage.listCheckpoints({ after: recordId(records - 2), limit: 1 })).length > 0;
  if (!isFilled) await fill(records);
  const filledMs = performance.now() - start;
  return {
    filledMs,
    first: await ask(() => ({})),
    other: await ask((i) => ({ after: idAt(i) })),
    byStatus: await ask((i) => ({ status, after: idAt(i) })),
    byPrefix: await ask((i) => ({ prefix: idAt(i).slice(0, -2) })),
  };
}

export function recordId(i: number): string {
  return `orders-${String(i).padStart(7, '0')}`;
}

/** Does it for each number below so many, some at once. */
export async function forEachOf(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await work(i);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
