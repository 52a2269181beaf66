import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild, type Child } from '../agents/child.ts';
import { signalNames } from '../../dist/contract/names.js';
import { TactusClient, type TactusRun } from '../../dist/index.js';
import { suspendedProcedure } from '../procedures.ts';
import type { Stage } from '../stage.ts';
import { timed } from './compare.ts';
import type { Growth, Sizes } from './growth.ts';
import { quantile } from './quantiles.ts';

/** A worker keeps so many workflows, fewer than wait. */
const cached = 500;
const atOnce = 50;
/** So many are decided one by one, at most: those that have left the cache. */
const oneByOne = 300;

interface Waiting {
  /** From the first start until all wait, for each run, in ms. */
  startedMs: number;
  /** Memory of the worker's process when all wait. */
  bytes: number;
  /** From each decision to the end of its run, which is the next line, in ms. */
  nextLine: number[];
  /** From the start of a new worker's work until all decided runs have ended, for each, in ms. */
  recoveryMs: number;
}

/** What runs cost that wait for a person, few and many of them, on a worker that keeps 500. */
export async function measureWaiting(stage: Stage, [few, many]: Sizes): Promise<Growth[]> {
  const [small, large] = [await waiting(stage, few), await waiting(stage, many)];
  const row = (what: string, unit: string, pick: (of: Waiting, runs: number) => number): Growth => ({
    ...{ what, unit },
    small: pick(small, few),
    large: pick(large, many),
  });
  return [
    row('waiting runs: from start to wait, a run', 'ms', ({ startedMs }) => startedMs),
    row('memory of their worker', 'MB', ({ bytes }) => bytes / 2 ** 20),
    row('memory of their worker, a run', 'KB', ({ bytes }, runs) => bytes / 2 ** 10 / runs),
    row('decision to next line, p50', 'ms', ({ nextLine }) => quantile(nextLine, 0.5)),
    row('decision to next line, p99', 'ms', ({ nextLine }) => quantile(nextLine, 0.99)),
    row('decided while no worker was there, a run', 'ms', ({ recoveryMs }) => recoveryMs),
  ];
}

async function waiting(stage: Stage, count: number): Promise<Waiting> {
  const { client, address } = stage.env;
  const taskQueue = `bench-waiting-${randomUUID()}`;
  const tactus = new TactusClient(client, { taskQueue });
  const begin = async (): Promise<Child> => {
    const script = join(import.meta.dirname, 'waiting-worker.ts');
    const child = startChild(script, [address, taskQueue, String(cached)]);
    await child.line();
    return child;
  };
  const first = await begin();
  const runs: TactusRun[] = [];
  const startedMs = await timed(async () => {
    while (runs.length < count) {
      const some = Array.from({ length: Math.min(atOnce, count - runs.length) }, () =>
        tactus.start(suspendedProcedure, {}),
      );
      const begun = await Promise.all(some);
      await Promise.all(begun.map(untilWaits));
      runs.push(...begun);
    }
  });
  const evicted = Math.max(1, Math.min(oneByOne, count - cached));
  const nextLine: number[] = [];
  for (const run of runs.slice(0, evicted))
    nextLine.push(
      await timed(async () => {
        const ended = run.result();
        await run.decide({ request: requestOf(run), value: true });
        await ended;
      }),
    );
  await first.close();
  const bytes = Number(await first.line());
  const left = runs.slice(evicted);
  for (let from = 0; from < left.length; from += atOnce)
    await Promise.all(
      left
        .slice(from, from + atOnce)
        .map((run) => run.handle.signal(signalNames.decide, { request: requestOf(run), value: true })),
    );
  const second = await begin();
  const recovered = await timed(async () => {
    const isEnded = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Completed'`;
    while ((await client.workflow.count(isEnded)).count < count) await pause(300);
  });
  await second.close();
  return { startedMs: startedMs / count, bytes, nextLine, recoveryMs: recovered / left.length };
}

/** Asks the server alone: a query would bring the run back into the cache. */
async function untilWaits({ handle }: TactusRun): Promise<void> {
  for (;;) {
    await pause(100);
    const { raw, historyLength } = await handle.describe();
    if (historyLength > 3 && (raw.pendingWorkflowTask ?? null) === null) return;
  }
}

/** The approval comes after one prediction. */
const requestOf = ({ runId }: TactusRun): string => `${runId}/1`;
