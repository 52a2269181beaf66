import { randomUUID } from 'node:crypto';
import { suspendedProcedure } from '../procedures.ts';
import { openWorker, type Stage } from '../stage.ts';
import type { Comparison } from './compare.ts';

const runs = 500;

/** Memory of 500 suspended runs that a worker keeps: growth of this process, after collecting garbage (node --expose-gc). */
export async function measureMemory(stage: Stage): Promise<Comparison> {
  // In this order twice, and the second taken: the first grows pools that both use.
  await suspend(stage, 'nativeSuspended', undefined);
  await suspend(stage, 'tactus', { source: suspendedProcedure });
  const native = await suspend(stage, 'nativeSuspended', undefined);
  const ours = await suspend(stage, 'tactus', { source: suspendedProcedure });
  return { what: `${runs} suspended runs`, unit: 'KB a run', ours, native };
}

async function suspend(stage: Stage, type: string, argument: unknown): Promise<number> {
  const taskQueue = `bench-memory-${randomUUID()}`;
  const worker = await openWorker(stage, taskQueue);
  return worker.runUntil(async () => {
    const before = await settledMemory();
    const handles = [];
    for (let i = 0; i < runs; i += 50) {
      const batch = await Promise.all(
        Array.from({ length: 50 }, () =>
          stage.env.client.workflow.start(type, {
            taskQueue,
            workflowId: randomUUID(),
            args: argument === undefined ? [] : [argument],
          }),
        ),
      );
      handles.push(...batch);
    }
    while (worker.getStatus().numCachedWorkflows < runs) await pause(100);
    await pause(1_000);
    const after = await settledMemory();
    await Promise.all(handles.map((handle) => handle.terminate()));
    return (after - before) / 1_024 / runs;
  });
}

/** Bytes that V8's heaps of all threads and buffers hold; the workflows live in a thread of their own. */
async function settledMemory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await pause(300);
  }
  return process.memoryUsage().rss;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
