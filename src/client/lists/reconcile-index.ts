import type { Client } from '@temporalio/client';
import { hostname } from 'node:os';
import { hasCode, TactusError } from '../../contract/errors.js';
import type { ToldRun } from '../../contract/runs/run-view.js';
import type { Feeder, IndexChange, RunIndex } from '../../read-model/run-index.js';
import { eachLimit } from '../concurrency.js';
import { namespaceIdOf } from '../server/server-calls.js';
import { isUpToDate, serverRun, type ServerRow } from './server-runs.js';
import { stuckError } from '../health/trouble.js';
import { catchUp, hasTooMany, sweepIndex } from './sweep-index.js';
import { TactusRun } from '../tactus-run.js';
import { askingWithin, viewRun, type RunReport } from '../runs/view-run.js';
import { isRunning } from '../runs/is-running.js';

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

const atOnce = 8;
/** How long a run's answer is waited for, in ms. */
const answerMs = 10_000;

/**
 * Makes an index say what the server and the runs say. Ends are the server's word; of the open runs those are asked that
 * have come further than what the index has of them, or of which it has nothing. What the server has forgotten is
 * forgotten.
 * @throws TactusError config_invalid where it has the runs of another namespace
 */
export async function reconcileIndex(
  client: Client,
  index: RunIndex,
  options: ReconcileOptions = {},
): Promise<Reconciled> {
  await claimIndex(client, index);
  const behind: string[] = [];
  let runs = 0;
  const latest = await sweepIndex(client, index, async (page) => {
    runs += page.length;
    behind.push(...(await behindOf(client, index, page)));
  });
  const missing = await askRuns(client, index, behind, options);
  await index.setCaughtUp(latest);
  return { runs, asked: behind.length - missing.length, missing };
}

/** Asks runs how they stand, for the index. Of those that have ended meanwhile, the server's word is taken. */
async function askRuns(
  client: Client,
  index: RunIndex,
  runIds: readonly string[],
  { ask = asker(client), onAsked }: ReconcileOptions = {},
): Promise<Unasked[]> {
  const missing: Unasked[] = [];
  let absence: string | null = null;
  await eachLimit(runIds, atOnce, async (runId) => {
    try {
      // Where nobody answered for one, nobody would for the others, which would each be waited for.
      if (absence !== null) throw new TactusError('no_worker', absence);
      const report = await ask(runId);
      if (report.stuck !== null) throw stuckError(runId, report.stuck);
      await index.write(await changesOf(client, runId, report));
      onAsked?.(runId);
    } catch (error) {
      if (hasCode(error, 'run_not_found')) return index.forget([runId]);
      const reason = error instanceof Error ? error.message : String(error);
      if (hasCode(error, 'no_worker')) absence = reason;
      missing.push({ run_id: runId, reason });
    }
  });
  return missing;
}

function asker(client: Client): Ask {
  const asking = askingWithin(client, answerMs);
  return (runId) => viewRun(new TactusRun(client.workflow.getHandle(runId), runId), asking);
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

/** Open runs of a page that have come further than the index knows. */
async function behindOf(client: Client, index: RunIndex, page: readonly ServerRow[]): Promise<string[]> {
  const open = page.filter(({ closed_at }) => closed_at === null);
  const known = new Map((await index.find(open.map(({ run_id }) => run_id))).map((run) => [run.run_id, run]));
  const behind: string[] = [];
  await eachLimit(open, atOnce, async (row) => {
    if (!(await isUpToDate(client, row, known.get(row.run_id)))) behind.push(row.run_id);
  });
  return behind;
}

/**
 * Makes sure that an index is for the runs of this namespace: with those of two in it, each would forget the other's.
 * @throws TactusError config_invalid
 */
export async function claimIndex(client: Client, index: RunIndex): Promise<void> {
  const { namespace } = client.options;
  const owner = `${await namespaceIdOf(client)} ${namespace}`;
  const found = await index.claim(owner);
  if (found === owner) return;
  const [, other] = found.split(' ');
  const whose = other === namespace ? 'another server' : `the namespace ${other}`;
  throw new TactusError(
    'config_invalid',
    `The index belongs to another server or namespace: it has the runs of ${whose}. Name another one, or rebuild this one: tactus-temporal index rebuild`,
  );
}

/** Whether what an index says can be believed, or what is to be done first. */
interface IndexHealth {
  /** The latest beginning or end in the server's list when it was taken over, in ms since 1970; null: it never was. */
  caughtUpAt: number | null;
  /** Workers that are gone with what their runs had told them. */
  lost: string[];
  /** Open runs of which nothing is known, or whose requests are past their deadlines. */
  unsure: string[];
}

interface FreshenOptions extends ReconcileOptions {
  /** Whether the index is compared with what the server counts: left out, it is. */
  isCounted?: boolean;
}

/** Takes over what began, ended and was deleted since the last time, without asking a run. @throws TactusError config_invalid */
export async function checkIndex(
  client: Client,
  index: RunIndex,
  { isCounted = true }: Pick<FreshenOptions, 'isCounted'> = {},
): Promise<IndexHealth> {
  await claimIndex(client, index);
  const caughtUpAt = await index.caughtUpAt();
  const lost = await lostFeeders(index);
  if (caughtUpAt !== null) {
    await catchUp(client, index, caughtUpAt);
    if (isCounted && (await hasTooMany(client, index)))
      await index.setCaughtUp(await sweepIndex(client, index));
  }
  return { caughtUpAt, lost, unsure: await index.unsure(new Date()) };
}

/** Whether nothing need be asked. */
export function isFresh({ caughtUpAt, lost, unsure }: IndexHealth): boolean {
  return caughtUpAt !== null && lost.length === 0 && unsure.length === 0;
}

/**
 * Makes an index say how things stand, as cheaply as can be: most of the time by one look at the server's list. The runs
 * that it can't speak for, as they were to be asked and gave no answer.
 * @throws TactusError config_invalid
 */
export async function freshenIndex(
  client: Client,
  index: RunIndex,
  options: FreshenOptions = {},
): Promise<Unasked[]> {
  const { caughtUpAt, lost, unsure } = await checkIndex(client, index, options);
  if (caughtUpAt !== null && lost.length === 0) return askRuns(client, index, unsure, options);
  const { missing } = await reconcileIndex(client, index, options);
  // Else the next reader has to ask again.
  if (missing.length === 0) await index.leave(lost);
  return missing;
}

/** How often a worker says that it still writes into an index, in ms. */
export const feederBeatMs = 20_000;
const silentMs = 4 * feederBeatMs;

/** Workers that are gone without having written all that their runs told them. */
export async function lostFeeders(index: RunIndex): Promise<string[]> {
  const feeders = await index.feeders();
  return feeders.filter((feeder) => !isThere(feeder)).map(({ id }) => id);
}

/** Of those on this machine the process tells, too. */
function isThere({ host, pid, seenAt }: Feeder): boolean {
  if (host === hostname() && !isRunning(pid)) return false;
  return Date.now() - seenAt < silentMs;
}
