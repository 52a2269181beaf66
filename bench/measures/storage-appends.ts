import { openStorage } from '../../dist/client/storage/open-storage.js';
import { inTurns, timed } from './compare.ts';
import { entryAt } from './storage-entries.ts';

const rounds = 200;
const state = { topic: 'ships', count: 3 };

/** Adds entries one by one to a record of 100, and to one of 20,000; medians in ms. */
export async function measureAppends(place: string): Promise<{ short: number; long: number }> {
  const storage = await openStorage(place);
  const counts = { 'bench-short': 100, 'bench-long': 20_000 };
  const append = async (id: keyof typeof counts, count: number): Promise<void> => {
    const from = counts[id];
    const entries = Array.from({ length: count }, (_, i) => entryAt(id, from + i));
    const growth = { from, entries, state, status: 'RUNNING', waiting_on_message_id: null };
    if ((await storage.append?.(id, growth)) !== true) throw new Error(`${place} took no entries`);
    counts[id] += count;
  };
  try {
    for (const id of ['bench-short', 'bench-long'] as const) {
      await storage.deleteCheckpoint(id);
      const count = counts[id];
      counts[id] = 0;
      // As a mirror tells them, and no store has to take all at once.
      while (counts[id] < count) await append(id, Math.min(500, count - counts[id]));
    }
    const { ours: long, native: short } = await inTurns(
      rounds,
      () => timed(() => append('bench-long', 1)),
      () => timed(() => append('bench-short', 1)),
    );
    return { short, long };
  } finally {
    for (const id of Object.keys(counts)) await storage.deleteCheckpoint(id);
    await storage.close?.();
  }
}
