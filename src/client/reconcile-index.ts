import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TactusError, type RunError } from '../contract/errors.js';
import type { ToldRun } from '../contract/told-run.js';
import type { IndexChange, IndexedRun, RunIndex } from '../read-model/run-index.js';
import { claimIndex } from './claim-index.js';
import { lastTaskOf } from './last-task.js';
import { serverPages, type ListedRun } from './server-list.js';
import { stuckError } from './stuck-error.js';
import { TactusRun } from './tactus-run.js';
import { endOf, viewRun, type RunReport } from './view-run.js';

/** How a run is asked how it stands. */
export type Ask = (runId: string) => Promise<RunReport>;

export interface ReconcileOptions {
  /** Left out: over the client. */
  ask?: Ask;
  /** Told of each run that was asked. */
  onAsked?: (runId: string) => void;
}

/** A run that couldn't be asked, and why. */
export interface Unasked {
  run_id: string;
  reason: string;
}

export interface Reconciled {
  /** Runs that the server has. */
  runs: number;
  /** Those of them that had told what the index didn't have, or nothing. */
  asked: number;
  missing: Unasked[];
}

type ServerRow = ListedRun & { execution: string };

const atOnce = 8;
/** The server's list may lag behind by so much, in ms. */
export const listLagMs = 30_000;

/**
 * Makes an index say what the server and the runs say. Ends are the server's word; of the open runs those are asked that
 * have come further than what the index has of them, or of which it has nothing. What the server has forgotten is
 * forgotten.
 */
export async function reconcileIndex(
  client: Client,
  index: RunIndex,
  options: ReconcileOptions = {},
): Promise<Reconciled> {
  await claimIndex(client, index);
  const began = Date.now();
  const gone = new Set<string>();
  for await (const run of everyRun(index)) gone.add(run.run_id);
  const behind: string[] = [];
  let runs = 0;
  for await (const page of serverPages(client, [])) {
    runs += page.length;
    for (const { run_id } of page) gone.delete(run_id);
    await takeOver(client, index, page);
    behind.push(...(await behindOf(client, index, page)));
  }
  await forgetGone(client, index, [...gone]);
  const missing = await askRuns(client, index, behind, options);
  await index.setCaughtUp(began);
  return { runs, asked: behind.length - missing.length, missing };
}

/** What the server's list says that the index doesn't know yet: what began or ended since it was looked at last. */
export async function catchUp(client: Client, index: RunIndex, since: number): Promise<void> {
  const began = Date.now();
  const from = `'${new Date(Math.max(0, since - listLagMs)).toISOString()}'`;
  for await (const page of serverPages(client, [`(StartTime >= ${from} OR CloseTime >= ${from})`]))
    await takeOver(client, index, page);
  await index.setCaughtUp(began);
}

/** Asks runs how they stand, for the index. Of those that have ended meanwhile, the server's word is taken. */
export async function askRuns(
  client: Client,
  index: RunIndex,
  runIds: readonly string[],
  { ask = asker(client), onAsked }: ReconcileOptions = {},
): Promise<Unasked[]> {
  const missing: Unasked[] = [];
  let absence: string | null = null;
  await each(runIds, async (runId) => {
    try {
      // Where nobody answered for one, nobody would for the others, which would each be waited for.
      if (absence !== null) throw new TactusError('no_worker', absence);
      const report = await ask(runId);
      if (report.stuck !== null) throw stuckError(runId, report.stuck);
      await index.write(await changesOf(client, runId, report));
      onAsked?.(runId);
    } catch (error) {
      if (error instanceof TactusError && error.code === 'run_not_found') return index.forget([runId]);
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof TactusError && error.code === 'no_worker') absence = reason;
      missing.push({ run_id: runId, reason });
    }
  });
  return missing;
}

function asker(client: Client): Ask {
  return (runId) => viewRun(attach(client, runId));
}

function attach(client: Client, runId: string): TactusRun {
  return new TactusRun(client.workflow.getHandle(runId), runId);
}

async function changesOf(client: Client, runId: string, report: RunReport): Promise<IndexChange[]> {
  const told: IndexChange[] = report.incomplete === undefined ? [{ kind: 'told', run: toldOf(report) }] : [];
  if (report.closed_at === null) return told;
  const run = await serverRun(client, runId);
  if (run === null || run.closed_at === null) return told;
  return [...told, { kind: 'closed', run: { ...run, procedure: report.procedure, error: report.error } }];
}

function toldOf(report: RunReport): ToldRun {
  const { run_id, procedure, status, error, waits, children, checkpoints, usage } = report;
  const { started_at, closed_at, version = null, pending } = report;
  return {
    ...{ run_id, procedure, status, error, waits, children, checkpoints, usage, started_at, closed_at },
    ...{ version, pending },
  };
}

/** Takes what a page of the server's list says of beginnings and ends. */
async function takeOver(client: Client, index: RunIndex, page: readonly ServerRow[]): Promise<void> {
  const known = new Map((await index.find(page.map(({ run_id }) => run_id))).map((run) => [run.run_id, run]));
  const reborn = page.filter((run) => isReborn(run, known.get(run.run_id)));
  await index.forget(reborn.map(({ run_id }) => run_id));
  for (const { run_id } of reborn) known.delete(run_id);
  const changes: IndexChange[] = [];
  await each(page, async (run) => {
    const before = known.get(run.run_id);
    if (run.closed_at === null) {
      if (before === undefined) changes.push({ kind: 'listed', run });
      return;
    }
    if (before?.isFinal === true) return;
    const error = before?.error ?? (await errorOf(client, run));
    changes.push({ kind: 'closed', run: { ...run, error } });
  });
  await index.write(changes);
}

/** It had ended for the index and goes on for the server: somebody has reset it, or used its id again. */
function isReborn(run: ServerRow, before: IndexedRun | undefined): boolean {
  return before !== undefined && before.isFinal && before.execution !== run.execution;
}

/** What a run ended with, without asking a worker. */
async function errorOf(client: Client, { run_id, status, closed_at }: ListedRun): Promise<RunError | null> {
  if (status === 'completed' || closed_at === null) return null;
  try {
    await attach(client, run_id).result();
  } catch (error) {
    if (error instanceof TactusError) return error.toRunError();
  }
  return null;
}

/** Open runs of a page that have come further than the index knows. */
async function behindOf(client: Client, index: RunIndex, page: readonly ServerRow[]): Promise<string[]> {
  const open = page.filter(({ closed_at }) => closed_at === null);
  const known = new Map((await index.find(open.map(({ run_id }) => run_id))).map((run) => [run.run_id, run]));
  const behind: string[] = [];
  await each(open, async ({ run_id, execution }) => {
    const before = known.get(run_id);
    const isKnown = before !== undefined && before.length > 0 && before.execution === execution;
    if (isKnown && before.length === (await lastTaskOf(client, { workflowId: run_id, runId: execution })))
      return;
    behind.push(run_id);
  });
  return behind;
}

/** Those that the server's list lacked may only have been too new for it. */
async function forgetGone(client: Client, index: RunIndex, runIds: readonly string[]): Promise<void> {
  const gone: string[] = [];
  await each(runIds, async (runId) => {
    if ((await serverRun(client, runId)) === null) gone.push(runId);
  });
  await index.forget(gone);
}

/** An open run as the server describes it, or one that has ended with its error; null where there is none. */
export async function serverRunWithEnd(
  client: Client,
  runId: string,
): Promise<(ServerRow & { error: RunError | null }) | null> {
  const run = await serverRun(client, runId);
  return run === null ? null : { ...run, error: await errorOf(client, run) };
}

/** A run as the server describes it; null where there is none. */
async function serverRun(client: Client, runId: string): Promise<ServerRow | null> {
  try {
    const found = await client.workflow.getHandle(runId).describe();
    return {
      run_id: runId,
      execution: found.runId,
      procedure: '',
      status: endOf(found.status.name) ?? 'running',
      started_at: found.startTime.toISOString(),
      closed_at: found.closeTime?.toISOString() ?? null,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function* everyRun(index: RunIndex): AsyncGenerator<IndexedRun> {
  for (let after: string | undefined; ;) {
    const { items, next } = await index.runs({ limit: 1_000, after });
    yield* items;
    if (next === null) return;
    after = next;
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const go = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, go));
}
