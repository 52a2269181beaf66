import type { Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import type { IndexedRunFilter } from '../../read-model/run-index.js';
import { filteredPages, type ListedRun } from './server-list.js';

/**
 * Runs, the newest start first. The server's list may lag a moment behind. `next`: where the next page begins, null at the
 * end.
 * @throws TactusError usage where `after` is no `next`
 */
export async function listRuns(
  client: Client,
  filter: IndexedRunFilter,
): Promise<{ runs: ListedRun[]; next: string | null }> {
  const after = filter.after === undefined ? null : readPlace(filter.after);
  const runs: ListedRun[] = [];
  for await (const run of newestFirst(client, filter, after)) {
    if (after?.ids.includes(run.run_id) === true) continue;
    // A status is compared here: the server knows only that which a run last told, not how it ended without it.
    if (filter.status !== undefined && run.status !== filter.status) continue;
    if (runs.length === filter.limit) return { runs, next: placeAfter(runs, after) };
    runs.push(run);
  }
  return { runs, next: null };
}

const hourMs = 3_600_000;
const longAgoMs = 20 * 365 * 24 * hourMs;

/** The server gives open runs first and can't be told otherwise: they are asked for by ever longer stretches of time. */
async function* newestFirst(
  client: Client,
  filter: IndexedRunFilter,
  after: Place | null,
): AsyncGenerator<ListedRun> {
  const listed = new Set<string>();
  const newest = after === null ? Date.now() + hourMs : Date.parse(after.at) + 1;
  for (let to = newest, ms = 2 * hourMs; newest - to < longAgoMs; to -= ms, ms *= 12) {
    const terms = `StartTime >= '${isoOf(to - ms)}' AND StartTime < '${isoOf(to)}'`;
    const found: ListedRun[] = [];
    for await (const page of filteredPages(client, filter, [terms]))
      found.push(...page.map(({ execution: _, ...run }) => run));
    // Of a run that was reset, or whose id was used again, the last execution is the run.
    const runs = found.sort((a, b) =>
      a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0,
    );
    for (const run of runs) {
      if (!listed.has(run.run_id)) yield run;
      listed.add(run.run_id);
    }
  }
}

function isoOf(ms: number): string {
  return new Date(Math.max(0, ms)).toISOString();
}

/** Where a page ended: when its last run began, and which of that time it had. */
interface Place {
  at: string;
  ids: string[];
}

function placeAfter(runs: readonly ListedRun[], before: Place | null): string {
  const at = runs.at(-1)?.started_at ?? '';
  const ids = runs.filter(({ started_at }) => started_at === at).map(({ run_id }) => run_id);
  const place: Place = { at, ids: before?.at === at ? [...before.ids, ...ids] : ids };
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readPlace(token: string): Place {
  try {
    const place = JSON.parse(Buffer.from(token, 'base64url').toString()) as Partial<Place>;
    if (!Number.isNaN(Date.parse(place.at ?? '')) && Array.isArray(place.ids)) return place as Place;
  } catch {
    // Said below.
  }
  throw new TactusError('usage', `${token} is no place in a list: take the \`next\` of the page before`);
}
