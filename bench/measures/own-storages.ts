import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryStorage } from '../../dist/client/storage/memory-storage.js';
import { openStorage } from '../../dist/client/storage/open-storage.js';
import type { StorageBackend } from '../../dist/client/storage/storage-backend.js';
import { fillRecords } from './fill-records.ts';
import type { Growth, Sizes } from './growth.ts';
import { quantile } from './quantiles.ts';
import { measureLists, type ListTimes } from './storage-lists.ts';

/** Addresses of the storages that need no server, in a folder. */
export function ownStorages(folder: string): string[] {
  return ['memory:', `file:${join(folder, 'files')}`, `sqlite:${join(folder, 'runs.sqlite')}`];
}

export function nameOf(place: string): string {
  return place.slice(0, place.indexOf(':'));
}

/** Pages out of so many records of the storage at an address, which is filled unless it has been. */
export async function measurePages(place: string, records: number, pages: number): Promise<ListTimes> {
  const storage: StorageBackend = place === 'memory:' ? new MemoryStorage() : await openStorage(place);
  const options = { records, pages, status: 'WAITING_FOR_HUMAN' };
  const times = await measureLists(storage, options, (count) => fillRecords(storage, count));
  await storage.close?.();
  return times;
}

/** A page of 50 behind any record, out of few records and out of many. */
export async function* measureListGrowth([few, many]: Sizes): AsyncGenerator<Growth> {
  const folders = [few, many].map(() => mkdtempSync(join(tmpdir(), 'bench-lists-')));
  const [fewIn, manyIn] = folders.map(ownStorages);
  try {
    for (const [i, place] of (fewIn ?? []).entries()) {
      const page = async (at: string, records: number): Promise<number> =>
        quantile((await measurePages(at, records, 40)).other, 0.5);
      yield {
        ...{ what: `a page of 50 in the list of ${nameOf(place)}`, unit: 'ms' },
        small: await page(place, few),
        large: await page(manyIn?.[i] ?? '', many),
      };
    }
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
