import { randomUUID } from 'node:crypto';
import { openStorage } from '../../dist/client/storage/open-storage.js';
import type { StorageBackend } from '../../dist/client/storage/storage-backend.js';
import { createTactusWorker } from '../../dist/worker/create-tactus-worker.js';
import { stepsProcedure } from '../procedures.ts';
import type { Stage } from '../stage.ts';
import { inTurns, timed } from './compare.ts';

const runs = 20;
const rounds = 9;

/** Runs a second in a worker that mirrors, and in one that doesn't; both are there all the time, and work in turns. */
export async function measureMirroredRuns(
  { env }: Stage,
  place: string,
): Promise<{ mirrored: number; plain: number }> {
  const storage = await openStorage(place);
  const open = (taskQueue: string, to?: StorageBackend) =>
    createTactusWorker({
      connection: env.nativeConnection,
      taskQueue,
      ...(to === undefined ? {} : { storage: to }),
      activities: { env: {}, filesRoot: '.', procedureFolders: [] },
    });
  const [mirroring, plainly] = [`bench-${randomUUID()}`, `bench-${randomUUID()}`];
  const workers = [await open(mirroring, storage), await open(plainly)];
  const running = workers.map((worker) => worker.run());
  const runMany = async (taskQueue: string): Promise<void> => {
    const args = [{ source: stepsProcedure(null), input: { n: 10 } }];
    const handles = await Promise.all(
      Array.from({ length: runs }, () =>
        env.client.workflow.start('tactus', { taskQueue, workflowId: randomUUID(), args }),
      ),
    );
    await Promise.all(handles.map((handle) => handle.result()));
  };
  try {
    for (const queue of [mirroring, plainly]) await runMany(queue); // warm up
    const { ours, native } = await inTurns(
      rounds,
      () => timed(() => runMany(mirroring)),
      () => timed(() => runMany(plainly)),
    );
    return { mirrored: (1_000 * runs) / ours, plain: (1_000 * runs) / native };
  } finally {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
    await storage.close?.();
  }
}
