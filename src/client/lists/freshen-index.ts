import type { Client } from '@temporalio/client';
import { hostname } from 'node:os';
import type { Feeder, RunIndex } from '../../read-model/run-index.js';
import { isRunning } from '../runs/is-running.js';
import {
  askRuns,
  claimIndex,
  reconcileIndex,
  type ReconcileOptions,
  type Unasked,
} from './reconcile-index.js';
import { catchUp, hasTooMany, sweepIndex } from './sweep-index.js';

/** Whether what an index says can be believed, or what is to be done first. */
export interface IndexHealth {
  /** The latest beginning or end in the server's list when it was taken over, in ms since 1970; null: it never was. */
  caughtUpAt: number | null;
  /** Workers that are gone with what their runs had told them. */
  lost: string[];
  /** Open runs of which nothing is known, or whose requests are past their deadlines. */
  unsure: string[];
}

export interface FreshenOptions extends ReconcileOptions {
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
