import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { largeProcedure } from '../large-procedure.ts';
import { openWorker, plugin, type Stage } from '../stage.ts';
import { inTurns, timed, type Comparison } from './compare.ts';
import { loadOnce } from './load-once.ts';

const taskQueue = 'bench-large';
const rounds = 9;

/** A procedure of 2,000 lines and one of 20 that do the same: one prediction. */
export async function measureLargeStart(stage: Stage): Promise<Comparison[]> {
  const [large, small] = [largeProcedure(2_000), largeProcedure(20)];
  const worker = await openWorker(stage, taskQueue);
  const start = (source: ProcedureSource, workflowId = randomUUID()): Promise<unknown> =>
    stage.env.client.workflow.execute('tactus', {
      ...{ taskQueue, workflowId },
      args: [{ source, input: { n: 1 } }],
    });
  const historyOf = async (source: ProcedureSource): Promise<unknown> => {
    const workflowId = randomUUID();
    await start(source, workflowId);
    return stage.env.client.workflow.getHandle(workflowId).fetchHistory();
  };
  const { runs, histories } = await worker.runUntil(async () => {
    const histories = { large: await historyOf(large), small: await historyOf(small) };
    const runs = await inTurns(
      rounds,
      () => timed(() => start(large)),
      () => timed(() => start(small)),
    );
    return { runs, histories };
  });
  const replay = (history: unknown) => () =>
    timed(() => Worker.runReplayHistory({ workflowBundle: stage.bundle, plugins: [plugin] }, history));
  return [
    {
      what: 'loading in the bridge, up to the first effect',
      unit: 'ms',
      ...(await inTurns(
        21,
        () => timed(async () => loadOnce(large)),
        () => timed(async () => loadOnce(small)),
      )),
    },
    { what: 'start to end of a run with one step', unit: 'ms', ...runs },
    {
      what: 'replay of that run',
      unit: 'ms',
      ...(await inTurns(rounds, replay(histories.large), replay(histories.small))),
    },
  ];
}
