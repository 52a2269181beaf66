import { hasCode, TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import { readMoment } from '../../contract/time/duration.js';
import { startOfRun } from '../runs/start-input.js';
import { describeRun, endOf, firstExecutionOf } from '../runs/view-run.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';

/** How the ids of loops begin; the identity of the worker follows. */
export const loopPrefix = 'loop:';

/** Why a loop ended that was given up: nobody goes on with it. */
export const clearedReason = 'cleared';

/** How the newest loop of a worker stands. `expired`: its deadline is over. */
export type LoopStatus = 'open' | 'failed' | 'expired' | 'completed' | 'given up';

/** The newest loop of a worker. */
export interface FoundLoop {
  run: TactusRun;
  status: LoopStatus;
  /** What it was begun with. */
  request: JsonValue;
  /** In ms since 1970; null: it has none. */
  deadline: number | null;
  /** Part of the keys of its calls, in all of its attempts. */
  firstExecutionId: string;
}

/** @throws TactusError usage of an identity that can't be part of an id */
export function loopIdOf(worker: string): string {
  if (/^[^\p{Cc}/]{1,200}$/u.test(worker) && Buffer.from(worker).toString() === worker)
    return loopPrefix + worker;
  throw new TactusError(
    'usage',
    `${JSON.stringify(worker)} is no identity of a worker: it must have 1 to 200 characters, without slashes`,
  );
}

/** Finds the newest loop of a worker; null where it has begun none, or the server keeps none. */
export async function findLoop(tactus: TactusClient, worker: string): Promise<FoundLoop | null> {
  const run = tactus.attach(loopIdOf(worker));
  const description = await describeRun(run).catch((error: unknown) => {
    if (hasCode(error, 'run_not_found')) return null;
    throw error;
  });
  if (description === null) return null;
  const start = await startOfRun(tactus.client, run.runId);
  const input = start?.input ?? null;
  const facts = isObject(input) ? input : {};
  const given = getOwn(facts, 'deadline');
  const deadline = typeof given === 'string' ? readMoment(given) : null;
  return {
    run,
    status: await statusOf(run, description.status.name, deadline),
    request: getOwn(facts, 'request') ?? null,
    deadline,
    firstExecutionId: firstExecutionOf(description, start),
  };
}

async function statusOf(run: TactusRun, name: string, deadline: number | null): Promise<LoopStatus> {
  const end = endOf(name);
  if (end === null) return 'open';
  if (end === 'completed') return end;
  if (end === 'timed_out') return 'expired';
  if (end !== 'failed') return 'given up';
  const isOver = deadline !== null && deadline <= Date.now();
  return isOver || (await hasExpired(run)) ? 'expired' : 'failed';
}

async function hasExpired(run: TactusRun): Promise<boolean> {
  try {
    await run.result();
    return false;
  } catch (error) {
    return hasCode(error, 'deadline_exceeded');
  }
}

/** Whether somebody may go on with it. */
export function isIncomplete(loop: FoundLoop | null): loop is FoundLoop {
  return loop?.status === 'open' || loop?.status === 'failed';
}
