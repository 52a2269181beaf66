import { type ListedRun, listRuns } from '../../client/index.js';
import type { IndexedRun, IndexedRunFilter } from '../../read-model/run-index.js';
import { TactusError } from '../../contract/errors.js';
import { askingOf, type ServedNamespace } from '../served-namespace.js';

/** Whence a list comes: from an index of runs, or from the server and the runs themselves. */
export type Source = 'index' | 'runs';

/** A run as lists have it; an index knows more of it. */
export type ShownRun = ListedRun &
  Partial<Pick<IndexedRun, 'waits' | 'children' | 'checkpoints' | 'usage' | 'error'>>;

export interface RunPage {
  source: Source;
  runs: ShownRun[];
  next: string | null;
}

export interface RunSearch extends IndexedRunFilter {
  /** Found in id or procedure. */
  text?: string | undefined;
}

/** So many runs are looked through for a text before a page ends, however few it holds. */
const mostLookedAt = 2_000;

/**
 * Runs, the newest first.
 * @throws TactusError usage where `after` is no `next`
 */
export async function runPage(namespace: ServedNamespace, { text, ...filter }: RunSearch): Promise<RunPage> {
  if (text === undefined) return list(namespace, filter);
  const wanted = text.toLowerCase();
  const found: ShownRun[] = [];
  let { after } = filter;
  for (let lookedAt = 0; ; lookedAt += filter.limit) {
    // No more than are missing: where a page ends is where the last list has.
    const page = { ...filter, after, limit: filter.limit - found.length };
    const { source, runs, next } = await list(namespace, page);
    found.push(
      ...runs.filter(({ run_id, procedure }) => `${run_id}\n${procedure}`.toLowerCase().includes(wanted)),
    );
    if (next === null || found.length === filter.limit || lookedAt >= mostLookedAt)
      return { source, runs: found, next };
    after = next;
  }
}

async function list(namespace: ServedNamespace, filter: IndexedRunFilter): Promise<RunPage> {
  const { tactus } = namespace;
  const { look } = askingOf(namespace);
  try {
    const { source, runs, next } = await look(() => tactus.list(filter));
    return { source, runs: source === 'index' ? runs.map(shown) : runs, next };
  } catch (error) {
    if (!isAway(namespace, error)) throw error;
    return { source: 'runs', ...(await listRuns(tactus.client, filter)) };
  }
}

function shown({ execution: _, isFinal: _final, length: _length, ...run }: IndexedRun): ShownRun {
  return run;
}

/** Whether an error is an index's that can't be used: a full disk, a database that is away. The runs know all of it, too. */
export function isAway({ isIndexed, onTrouble }: ServedNamespace, error: unknown): boolean {
  if (!isIndexed || error instanceof TactusError) return false;
  onTrouble(`the index can't be used, the runs are asked: ${String(error)}`);
  return true;
}
