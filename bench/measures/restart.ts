import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { TactusPlugin } from '../../dist/worker.js';
import { suspendedProcedure } from '../procedures.ts';
import { openWorker, plugin, pluginByHand, type Stage } from '../stage.ts';
import { inTurns, timed, type Comparison } from './compare.ts';

const runs = 200;

/** A workflow that does one step and waits for a person, and how it is answered. */
interface Waiting {
  type: string;
  own: TactusPlugin;
  args: unknown[];
  answer: (handle: WorkflowHandle) => Promise<void>;
}

const procedure: Waiting = {
  ...{ type: 'tactus', own: plugin, args: [{ source: suspendedProcedure }] },
  answer: (handle) => handle.signal('decide', { request: `${handle.workflowId}/1`, value: true }),
};
const native: Waiting = {
  ...{ type: 'nativeSuspended', own: pluginByHand, args: [] },
  answer: (handle) => handle.signal('goOn'),
};

/** Time from the start of a new worker to the end of 200 runs that were answered while there was none. */
export async function measureRestart(stage: Stage): Promise<Comparison> {
  return {
    what: `restart with ${runs} waiting runs`,
    unit: 'ms',
    ...(await inTurns(
      3,
      () => restart(stage, procedure),
      () => restart(stage, native),
    )),
  };
}

async function restart(stage: Stage, { type, own, args, answer }: Waiting): Promise<number> {
  const taskQueue = `bench-restart-${randomUUID()}`;
  const { workflow } = stage.env.client;
  const before = await openWorker(stage, taskQueue, own);
  const handles = await before.runUntil(async () => {
    const started = await Promise.all(
      Array.from({ length: runs }, () => workflow.start(type, { taskQueue, workflowId: randomUUID(), args })),
    );
    while (before.getStatus().numCachedWorkflows < runs) await pause(100);
    await pause(1_000);
    return started;
  });
  await Promise.all(handles.map(answer));
  return timed(async () => {
    const after = await openWorker(stage, taskQueue, own);
    await after.runUntil(Promise.all(handles.map((handle) => handle.result())));
  });
}
