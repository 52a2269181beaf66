import type { Client } from '@temporalio/client';
import type { IndexChange, IndexedRun, RunIndex } from '../../read-model/run-index.js';
import { eachLimit } from '../concurrency.js';
import {
  countedByStatus,
  countRuns,
  endErrorOf,
  latestOf,
  listedSince,
  listLagMs,
  serverPages,
  serverRun,
  type ServerRow,
} from './server-runs.js';

const atOnce = 8;

/** What a reader has taken over, as the server counted it: what began or ended from a time on. */
interface TakenOver {
  terms: string;
  counted: string;
}

/** The last of it, by indexes. */
const takenOver = new WeakMap<RunIndex, TakenOver>();

/**
 * What the server's list says that the index doesn't know yet: what began or ended since `since`. These times are the server's, as
 * the clocks of those who read differ. After many have begun at once, `since` stays where it is until the next one: as long as the
 * server counts as many as this reader has taken over, their list isn't read again.
 */
export async function catchUp(client: Client, index: RunIndex, since: number): Promise<void> {
  const from = listedSince(since);
  const terms = `(StartTime >= ${from} OR CloseTime >= ${from})`;
  // Before the list is read: what comes in between is counted the next time.
  const counted = await countedByStatus(client, [terms]);
  const before = takenOver.get(index);
  if (before?.terms === terms && before.counted === counted) return;
  let latest = since;
  for await (const page of serverPages(client, [terms])) {
    latest = Math.max(latest, latestOf(page));
    await takeOver(client, index, page);
  }
  await index.setCaughtUp(latest);
  takenOver.set(index, { terms, counted });
}

/**
 * Whether the index has runs that the server has deleted, or open ones that have ended, by their numbers alone. What is so new
 * that the server's list may not have it yet isn't counted. A clock that is wrong costs a sweep in vain, or some time.
 */
export async function hasTooMany(client: Client, index: RunIndex): Promise<boolean> {
  const before = Date.now() - listLagMs;
  const time = `'${new Date(before).toISOString()}'`;
  const [known, open, closed] = await Promise.all([
    index.countsBefore(before),
    countRuns(client, [`ExecutionStatus = 'Running'`, `StartTime < ${time}`]),
    countRuns(client, [`CloseTime < ${time}`]),
  ]);
  return known.open > open || known.closed > closed;
}

/**
 * Takes over the server's whole list, and forgets what the server has forgotten. `onPage` has each page once it is in the index.
 * The latest beginning or end in it, for `setCaughtUp`.
 */
export async function sweepIndex(
  client: Client,
  index: RunIndex,
  onPage: (page: readonly ServerRow[]) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const gone = new Map<string, IndexedRun>();
  for await (const run of everyRun(index)) gone.set(run.run_id, run);
  let latest = 0;
  for await (const page of serverPages(client, [])) {
    for (const { run_id } of page) gone.delete(run_id);
    latest = Math.max(latest, latestOf(page));
    await takeOver(client, index, page);
    await onPage(page);
  }
  await forgetGone(client, index, [...gone.values()], latest);
  return latest;
}

/** Takes what a page of the server's list says of beginnings and ends. */
async function takeOver(client: Client, index: RunIndex, rows: readonly ServerRow[]): Promise<void> {
  const page = lastOfEach(rows);
  const known = new Map((await index.find(page.map(({ run_id }) => run_id))).map((run) => [run.run_id, run]));
  const older = await olderEnds(client, page, known);
  const reborn = page.filter((run) => !older.has(run) && isReborn(run, known.get(run.run_id)));
  await index.forget(reborn.map(({ run_id }) => run_id));
  for (const { run_id } of reborn) known.delete(run_id);
  const changes: IndexChange[] = [];
  await eachLimit(page, atOnce, async (run) => {
    if (older.has(run)) return;
    const before = known.get(run.run_id);
    if (run.closed_at === null) {
      if (before === undefined) changes.push({ kind: 'listed', run });
      return;
    }
    if (before?.isFinal === true) return;
    const error = before?.error ?? (await endErrorOf(client, run));
    changes.push({ kind: 'closed', run: { ...run, error } });
  });
  await index.write(changes);
}

/** A run that was reset, or whose id was used again, is in the list by its last execution, and by older ones. */
function lastOfEach(rows: readonly ServerRow[]): ServerRow[] {
  const last = new Map<string, ServerRow>();
  for (const row of rows) {
    const other = last.get(row.run_id);
    if (other === undefined || isLater(row, other)) last.set(row.run_id, row);
  }
  return [...last.values()];
}

function isLater(one: ServerRow, other: ServerRow): boolean {
  if (one.started_at !== other.started_at) return one.started_at > other.started_at;
  return one.closed_at === null;
}

/** Ends of executions that are not the last of their runs. The server says which is, where the index knows another one. */
async function olderEnds(
  client: Client,
  page: readonly ServerRow[],
  known: ReadonlyMap<string, IndexedRun>,
): Promise<ReadonlySet<ServerRow>> {
  const older = new Set<ServerRow>();
  await eachLimit(page, atOnce, async (row) => {
    const before = known.get(row.run_id)?.execution ?? '';
    if (row.closed_at === null || before === '' || before === row.execution) return;
    const last = await serverRun(client, row.run_id);
    if (last !== null && last.execution !== row.execution) older.add(row);
  });
  return older;
}

/** It had ended for the index and goes on for the server: somebody has reset it, or used its id again. */
function isReborn(run: ServerRow, before: IndexedRun | undefined): boolean {
  return before !== undefined && before.isFinal && before.execution !== run.execution;
}

/** Of those that the server's list lacks, what it may only not have yet is looked at: an end that is older is deleted. */
async function forgetGone(
  client: Client,
  index: RunIndex,
  runs: readonly IndexedRun[],
  latest: number,
): Promise<void> {
  const gone: string[] = [];
  await eachLimit(runs, atOnce, async ({ run_id, isFinal, closed_at }) => {
    const isOld = isFinal && closed_at !== null && Date.parse(closed_at) < latest - listLagMs;
    if (isOld || (await serverRun(client, run_id)) === null) gone.push(run_id);
  });
  await index.forget(gone);
}

async function* everyRun(index: RunIndex): AsyncGenerator<IndexedRun> {
  for (let after: string | undefined; ;) {
    const { items, next } = await index.runs({ limit: 1_000, after });
    yield* items;
    if (next === null) return;
    after = next;
  }
}
