/** `node --expose-gc bench/measures/suspended-runs.ts TYPE ADDRESS RUNS`: a worker that keeps so many suspended runs. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { suspendedProcedure } from '../procedures.ts';
import { Heaps } from './heap.ts';
import { bundleBench, createBenchWorker, plugin, pluginByHand, quiet } from '../stage.ts';

const [type = '', address = '', count = ''] = process.argv.slice(2);
const args = type === 'tactus' ? [{ source: suspendedProcedure }] : [];
/** What the first runs take is the worker's: compiled code, pools, connections. */
const warmUp = 50;

quiet();
const taskQueue = `bench-memory-${randomUUID()}`;
const client = new Client({ connection: await Connection.connect({ address }) });
const worker = await createBenchWorker(
  await NativeConnection.connect({ address }),
  await bundleBench(),
  taskQueue,
  type === 'tactus' ? plugin : pluginByHand,
);
await worker.runUntil(async () => {
  await suspend(warmUp);
  const heaps = new Heaps();
  await heaps.open();
  const before = await heaps.used();
  const handles = await suspend(Number(count));
  const after = await heaps.used();
  console.log(`KB a run: ${(after - before) / 1_024 / Number(count)}`);
  await Promise.all(handles.map((handle) => handle.terminate()));
});
process.exit(0);

/** Starts so many more runs and waits until each has come to its wait. */
async function suspend(runs: number): Promise<{ terminate(): Promise<unknown> }[]> {
  const cached = worker.getStatus().numCachedWorkflows;
  const handles = [];
  for (let started = 0; started < runs; started += 50)
    handles.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, () =>
          client.workflow.start(type, { taskQueue, workflowId: randomUUID(), args }),
        ),
      )),
    );
  while (worker.getStatus().numCachedWorkflows < cached + runs) await pause(100);
  await pause(1_000);
  return handles;
}
