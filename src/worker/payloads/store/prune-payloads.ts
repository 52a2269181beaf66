import { claimKey, unusedPrefix } from '../../../contract/payloads/claim.js';
import type { KeptPayload, ListedPayloadStore } from './payload-store.js';

/** How many payloads, and their size. */
export interface PayloadCount {
  count: number;
  bytes: number;
}

export interface Pruned {
  /** In use, or put so lately that nobody may refer to them yet. */
  kept: PayloadCount;
  /** Set aside now: nothing refers to them. */
  set_aside: PayloadCount;
  /** Set aside before, and needed again: they are back. */
  restored: PayloadCount;
  /** Set aside before, and still to be kept for a while. */
  waiting: PayloadCount;
  /** Set aside long enough, and deleted. */
  deleted: PayloadCount;
}

export interface PruneOptions {
  /** Payloads that were put, or set aside, later than this many ms ago stay as they are. */
  unusedMs: number;
  /** Counts, and changes nothing. */
  isDryRun: boolean;
  now?: number;
}

/** What becomes of a payload that is in use, and of those that are not, by where it is. */
const fates = {
  used: { there: 'kept', aside: 'restored' },
  old: { there: 'set_aside', aside: 'deleted' },
  young: { there: 'kept', aside: 'waiting' },
} as const;

/**
 * Sets payloads aside that nothing refers to, and deletes those that were set aside long enough ago. A payload that is read or put meanwhile
 * comes back: `ClaimCheckCodec` finds what was set aside.
 * @param kept what the store had before the server was read
 * @param inUse keys of payloads that the server refers to
 */
export async function prunePayloads(
  store: ListedPayloadStore,
  kept: readonly KeptPayload[],
  inUse: ReadonlySet<string>,
  { unusedMs, isDryRun, now = Date.now() }: PruneOptions,
): Promise<Pruned> {
  const none = (): PayloadCount => ({ count: 0, bytes: 0 });
  const pruned: Pruned = {
    ...{ kept: none(), set_aside: none(), restored: none(), waiting: none(), deleted: none() },
  };
  const note = (what: keyof Pruned, { size }: KeptPayload): void => {
    pruned[what].count++;
    pruned[what].bytes += size;
  };
  const move = async (from: string, to: string): Promise<void> => {
    const bytes = await store.get(from);
    if (bytes === null) return;
    await store.put(to, bytes);
    await store.remove(from);
  };
  const isAside = ({ key }: KeptPayload): boolean => key.startsWith(unusedPrefix);
  // Those aside go first: one that is there as well would be set aside anew, and be taken for the old one.
  const ordered = [...kept.filter(isAside), ...kept.filter((each) => !isAside(each))];
  for (const listed of ordered) {
    const place = isAside(listed) ? 'aside' : 'there';
    const key = place === 'aside' ? listed.key.slice(unusedPrefix.length) : listed.key;
    if (!claimKey.test(key)) continue;
    const fateOf = ({ at }: KeptPayload) => {
      const ofUnused = now - at > unusedMs ? fates.old : fates.young;
      return (inUse.has(key) ? fates.used : ofUnused)[place];
    };
    const stays = isDryRun || ['kept', 'waiting'].includes(fateOf(listed));
    // It was listed before the server was read, and may have been put again since.
    const payload = stays ? listed : await store.look(listed.key);
    if (payload === null) continue;
    const what = fateOf(payload);
    note(what, payload);
    if (isDryRun) continue;
    if (what === 'restored') await move(listed.key, key);
    if (what === 'set_aside') await move(key, unusedPrefix + key);
    if (what === 'deleted') await store.remove(listed.key);
  }
  return pruned;
}
