import type { Client } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type { GateReport } from '../../contract/deployments/gate.js';
import { TactusError } from '../../contract/errors.js';
import { stuckAmong } from '../health/find-trouble.js';
import { stuckText, type Stuck } from '../health/trouble.js';
import { listRuns } from '../lists/list-runs.js';
import { passGate } from './pass-gate.js';
import { queuesOfVersion, readDeployment, routeRuns, type WorkerDeployment } from './worker-deployment.js';

export interface RollOutOrder {
  deployment: string;
  build_id: string;
  /** Shares of the runs that it is given one after the other, in per cent, before all are. */
  ramp: readonly number[];
  /** How long runs are watched after each step, in ms. */
  pauseMs: number;
  /** How many runs the gate replays; null: it isn't asked. */
  gateRuns: number | null;
}

/** What has become of a roll-out. */
export interface RolledOut {
  deployment: string;
  build_id: string;
  /** The version that all runs went to before; null: workers without a version. */
  previous: string | null;
  /** `rolled_back`: all runs go to the previous version again. `interrupted`: it has what the last of `steps` says, or none. */
  status: 'current' | 'rolled_back' | 'interrupted';
  gate: (GateReport & { task_queue: string })[];
  /** What it was given, in per cent; `at` in ISO 8601, UTC. */
  steps: { percentage: number; at: string }[];
  /** Runs that got stuck meanwhile: why it was rolled back. */
  stuck: { run_id: string; message: string }[];
}

export interface RollOutEars {
  /** Told of what has just been done. */
  tell: (text: string) => void;
  /** Ends it where it is. */
  signal: AbortSignal;
}

/** Open runs that are looked at, the newest first. */
const mostRuns = 1_000;
const lookEveryMs = 5_000;
const registerEveryMs = 500;
const registerMs = 60_000;

/**
 * Gives the runs of a Worker Deployment to a new version, step by step, and takes them back where one gets stuck.
 *
 * Invariants:
 *  1. Nothing is routed before the gate has passed on every task queue of the version.
 *  2. A run that was stuck before counts for nothing: one that gets stuck after the first step takes all runs back.
 *  3. It changes only what its own last step has left, by the server's token: where somebody else routes meanwhile, it ends with
 *     `change_refused`, and what they have said stands.
 * @throws TactusError no_worker where no worker of the version is there; build_refused by the gate; change_refused by the
 *   server; interrupted where it was ended before the version was there
 */
export async function rollOut(client: Client, order: RollOutOrder, ears: RollOutEars): Promise<RolledOut> {
  const { deployment, build_id: buildId } = order;
  const queues = await waitForVersion(client, order, ears);
  const before = await deploymentOf(client, deployment);
  const done: RolledOut = {
    ...{ deployment, build_id: buildId, previous: before.current, status: 'current' },
    ...{ gate: [], steps: [], stuck: [] },
  };
  if (before.current === buildId) return done;
  try {
    return await takeSteps(client, order, { queues, done, ears });
  } catch (error) {
    if (ears.signal.aborted) return { ...done, status: 'interrupted' };
    throw error;
  }
}

async function takeSteps(
  client: Client,
  order: RollOutOrder,
  { queues, done, ears }: { queues: readonly string[]; done: RolledOut; ears: RollOutEars },
): Promise<RolledOut> {
  const { deployment, build_id: buildId } = order;
  for (const queue of order.gateRuns === null ? [] : queues) {
    const gated = { deployment, build_id: buildId, task_queue: queue };
    const gate = { order: { runs: order.gateRuns ?? 0 }, signal: ears.signal };
    const report = await passGate(client, gated, gate);
    done.gate.push({ task_queue: queue, ...report });
    ears.tell(`The gate has passed on ${queue}: ${report.replayed} histories replay with ${buildId}.`);
  }
  const known = await stuckRuns(client);
  for (const percentage of [...order.ramp, 100]) {
    await route(client, done, percentage);
    ears.tell(
      percentage === 100 ? `All runs go to ${buildId}.` : `${percentage} % of the runs go to ${buildId}.`,
    );
    const stuck = await watch(client, known, order.pauseMs, ears.signal);
    if (stuck.length === 0) continue;
    await takeBack(client, done, stuck);
    return { ...done, status: 'rolled_back', stuck };
  }
  return done;
}

/**
 * What a roll-out would do: `steps` in per cent, none where all runs go to the version already. The gate isn't asked.
 * @throws TactusError no_worker where no worker of the version is there
 */
export async function planRollOut(
  client: Client,
  { deployment, build_id: buildId, ramp }: RollOutOrder,
): Promise<Pick<RolledOut, 'deployment' | 'build_id' | 'previous'> & { steps: number[] }> {
  if ((await queuesOfVersion(client, deployment, buildId)).length === 0)
    throw new TactusError('no_worker', `No worker of the version ${buildId} of ${deployment} is there`);
  const { current } = await deploymentOf(client, deployment);
  const steps = current === buildId ? [] : [...ramp, 100];
  return { deployment, build_id: buildId, previous: current, steps };
}

/**
 * Takes the runs back that a version was given: of one that is ramped up, its share; else all runs go to the version that
 * was the current one before.
 * @param options `dryRun`: only look who would get them
 * @throws TactusError change_refused where there is none to go back to
 */
export async function rollBack(
  client: Client,
  deployment: string,
  { dryRun = false }: { dryRun?: boolean | undefined } = {},
): Promise<Pick<RolledOut, 'deployment' | 'build_id' | 'previous' | 'status'>> {
  const now = await deploymentOf(client, deployment);
  if (now.ramping !== null) {
    if (!dryRun) await routeRuns(client, now, now.ramping.build_id, 0);
    return {
      ...{ deployment, build_id: now.ramping.build_id, previous: now.current, status: 'rolled_back' },
    };
  }
  const [previous] = now.versions
    .filter(({ build_id: build, last_current: at }) => build !== now.current && at !== null)
    .sort((one, other) => Date.parse(other.last_current ?? '') - Date.parse(one.last_current ?? ''));
  if (previous === undefined || now.current === null)
    throw new TactusError('change_refused', `${deployment} has no version to go back to`);
  if (!dryRun) await routeRuns(client, now, previous.build_id, 100);
  return { deployment, build_id: now.current, previous: previous.build_id, status: 'rolled_back' };
}

/** @throws TactusError no_worker where there is none */
async function deploymentOf(client: Client, name: string): Promise<WorkerDeployment> {
  const found = await readDeployment(client, name);
  if (found === null) throw new TactusError('no_worker', `No worker has registered a deployment ${name}`);
  return found;
}

/** The task queues of a version; a worker registers it when it begins. */
async function waitForVersion(
  client: Client,
  { deployment, build_id: buildId }: RollOutOrder,
  { signal, tell }: RollOutEars,
): Promise<string[]> {
  const end = Date.now() + registerMs;
  for (let isFirst = true; ; isFirst = false) {
    const queues = await queuesOfVersion(client, deployment, buildId);
    if (queues.length > 0) return queues;
    if (Date.now() > end)
      throw new TactusError(
        'no_worker',
        `No worker of the version ${buildId} of ${deployment} has come in ${registerMs / 1_000} s. Start one with TEMPORAL_DEPLOYMENT_NAME=${deployment} TEMPORAL_WORKER_BUILD_ID=${buildId}`,
      );
    if (isFirst)
      tell(`No worker of ${buildId} is there yet. It is waited for, for up to ${registerMs / 1_000} s.`);
    await pause(registerEveryMs, signal);
  }
}

async function route(client: Client, done: RolledOut, percentage: number): Promise<void> {
  await routeRuns(client, await asLeft(client, done), done.build_id, percentage);
  done.steps.push({ percentage, at: new Date().toISOString() });
}

async function takeBack(client: Client, done: RolledOut, stuck: RolledOut['stuck']): Promise<void> {
  const now = await asLeft(client, done, stuck);
  if (now.current === done.build_id) await routeRuns(client, now, done.previous ?? '', 100);
  else await routeRuns(client, now, done.build_id, 0);
}

/**
 * The deployment, as the last step has left it.
 * @throws TactusError change_refused where somebody else has routed runs since; it names those that got `stuck`
 */
async function asLeft(
  client: Client,
  { deployment, build_id: buildId, previous, steps }: RolledOut,
  stuck: RolledOut['stuck'] = [],
): Promise<WorkerDeployment> {
  const now = await deploymentOf(client, deployment);
  const { current, ramping } = now;
  const share = steps.at(-1)?.percentage;
  const isCurrent = share === 100;
  const hasShare = ramping?.build_id === buildId && Math.abs(ramping.percentage - (share ?? 0)) < 0.01;
  const isLeft = share === undefined || isCurrent || hasShare;
  if (isLeft && current === (isCurrent ? buildId : previous)) return now;
  const goes = `its current version is ${current ?? 'none'}${ramping === null ? '' : `, and ${ramping.percentage} % of the runs go to ${ramping.build_id}`}`;
  const got = stuck.length === 0 ? '' : `. Stuck: ${stuck.map(({ run_id: id }) => id).join(', ')}`;
  throw new TactusError(
    'change_refused',
    `Somebody else has routed runs of ${deployment} meanwhile: ${goes}. Nothing was changed${got}`,
  );
}

/** Looks at runs for as long as a step takes, once at least; gives those that got stuck. */
async function watch(
  client: Client,
  known: ReadonlyMap<string, Stuck>,
  pauseMs: number,
  signal: AbortSignal,
): Promise<RolledOut['stuck']> {
  const end = Date.now() + pauseMs;
  for (;;) {
    await pause(Math.max(0, Math.min(lookEveryMs, end - Date.now())), signal);
    const now = await stuckRuns(client);
    const stuck = [...now].flatMap(([id, fault]) =>
      known.has(id) ? [] : [{ run_id: id, message: stuckText(fault) }],
    );
    if (stuck.length > 0 || Date.now() >= end) return stuck;
  }
}

/** Open runs that are stuck, by their ids. */
async function stuckRuns(client: Client): Promise<Map<string, Stuck>> {
  const { runs } = await listRuns(client, { isOpen: true, limit: mostRuns });
  return stuckAmong(client, runs);
}

/** @throws TactusError interrupted */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  if (signal.aborted)
    throw new TactusError('interrupted', 'The roll-out was interrupted before it gave runs to a version');
}
