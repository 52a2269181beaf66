import type { Worker } from '@temporalio/worker';
import type { Probe } from '../../client/index.js';
import type { MirroringWorker } from '../create-tactus-worker.js';

interface Probed {
  workers: readonly Pick<Worker, 'getStatus'>[];
  mirror: Pick<NonNullable<MirroringWorker['mirror']>, 'standing' | 'reach'> | null;
  index: MirroringWorker['index'];
}

/**
 * What must hold for workers of a process to be ready: each asks its task queue for work, and what runs have told is
 * written soon.
 * @param lagMs how long it may take until that is written
 */
export function workerProbes({ workers, mirror, index }: Probed, lagMs: number): Probe[] {
  const behind = (what: string, toldAt: number | null): string | null => {
    if (toldAt === null || Date.now() - toldAt <= lagMs) return null;
    return `${what} is ${Math.round((Date.now() - toldAt) / 1_000)} s behind what runs have told`;
  };
  return [
    {
      name: 'polling',
      look: () => {
        const idle = workers.filter((worker) => !isPolling(worker));
        return idle.length === 0 ? null : `${idle.length} of ${workers.length} workers take no tasks`;
      },
    },
    ...(mirror === null
      ? []
      : [
          {
            name: 'mirror',
            look: async () => {
              const { unwritten, toldAt } = mirror.standing();
              // What was given up waits for the storage to answer, and has no time.
              if (toldAt === null && unwritten > 0) await mirror.reach();
              return behind('the mirror', toldAt);
            },
          },
        ]),
    ...(index === null ? [] : [{ name: 'index', look: () => behind('the index', index.toldAt) }]),
  ];
}

function isPolling(worker: Pick<Worker, 'getStatus'>): boolean {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  return runState === 'RUNNING' && [workflowPollerState, activityPollerState].includes('POLLING');
}
