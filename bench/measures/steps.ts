import { randomUUID } from 'node:crypto';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { stepsProcedure } from '../procedures.ts';
import { openWorker, pluginByHand, type Stage } from '../stage.ts';
import { inTurns, timed, type Comparison } from './compare.ts';

const taskQueues = { tactus: 'bench-steps', nativeSteps: 'bench-steps-by-hand' } as const;

async function runMany(
  stage: Stage,
  runs: number,
  type: keyof typeof taskQueues,
  argument: unknown,
): Promise<void> {
  const handles = await Promise.all(
    Array.from({ length: runs }, () =>
      stage.env.client.workflow.start(type, {
        taskQueue: taskQueues[type],
        workflowId: randomUUID(),
        args: [argument],
      }),
    ),
  );
  await Promise.all(handles.map((handle) => handle.result()));
}

/** Throughput of 10-step runs, latency of a step in a long run, and time from start to the end of the first step. */
export async function measureSteps(stage: Stage): Promise<Comparison[]> {
  const worker = await openWorker(stage, taskQueues.tactus);
  const byHand = await openWorker(stage, taskQueues.nativeSteps, pluginByHand);
  const measure = async (): Promise<Comparison[]> => {
    const compare = async (
      what: string,
      unit: string,
      runs: number,
      n: number,
      endpoint: string | null,
      divide: number,
      rounds = 15,
    ): Promise<Comparison> => {
      const source: ProcedureSource = stepsProcedure(endpoint);
      const figures = await inTurns(
        rounds,
        () => timed(() => runMany(stage, runs, 'tactus', { source, input: { n } })),
        () => timed(() => runMany(stage, runs, 'nativeSteps', { n, endpoint })),
      );
      return { what, unit, ours: figures.ours / divide, native: figures.native / divide };
    };
    await runMany(stage, 5, 'tactus', { source: stepsProcedure(null), input: { n: 1 } }); // warm up
    await runMany(stage, 5, 'nativeSteps', { n: 1, endpoint: null });
    return [
      await compare('10 steps over HTTP, 20 runs at once', 'ms a run', 20, 10, stage.endpoint, 20),
      await compare('10 steps in the worker, 20 runs at once', 'ms a run', 20, 10, null, 20),
      await compare('a step over HTTP in one long run', 'ms a step', 1, 30, stage.endpoint, 30, 5),
      await compare('a step in the worker in one long run', 'ms a step', 1, 100, null, 100),
      await compare('start to the end of the first step', 'ms', 1, 1, null, 1),
    ];
  };
  return worker.runUntil(byHand.runUntil(measure));
}
