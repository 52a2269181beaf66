import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import type { TactusPlugin } from '../../dist/worker.js';
import { stepsProcedure } from '../procedures.ts';
import { openWorker, plugin, pluginByHand, type Stage } from '../stage.ts';
import { inTurns, timed, type Comparison } from './compare.ts';

const steps = 1_000;
const taskQueue = 'bench-replay';

/** Time to replay the history of a run of 1,000 steps, as a worker does that has lost it. */
export async function measureReplay(
  stage: Stage,
  { ours = plugin, byHand = pluginByHand } = {},
): Promise<Comparison> {
  const worker = await openWorker(stage, taskQueue);
  const histories = await worker.runUntil(async () => {
    const run = async (type: string, argument: unknown): Promise<unknown> => {
      const handle = await stage.env.client.workflow.start(type, {
        taskQueue,
        workflowId: randomUUID(),
        args: [argument],
      });
      await handle.result();
      return handle.fetchHistory();
    };
    const limits = { historyEvents: 40_000 };
    return {
      ours: await run('tactus', { source: stepsProcedure(null), input: { n: steps }, limits }),
      native: await run('nativeSteps', { n: steps, endpoint: null }),
    };
  });
  const replay = (own: TactusPlugin, history: unknown) => () =>
    timed(() => Worker.runReplayHistory({ workflowBundle: stage.bundle, plugins: [own] }, history));
  return {
    what: `replay of ${steps} steps`,
    unit: 'ms',
    ...(await inTurns(5, replay(ours, histories.ours), replay(byHand, histories.native))),
  };
}
