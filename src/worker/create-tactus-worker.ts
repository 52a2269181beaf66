import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { ActivityDeps } from '../activities/index.js';
import type { MirrorWriter } from './storage/mirror/mirror-writer.js';
import { TactusPlugin, type TactusPluginOptions } from './tactus-plugin.js';

export interface TactusWorkerOptions extends TactusPluginOptions {
  connection: NativeConnection;
  namespace?: string;
  /** What the activities get: keys, folders, the local model. */
  activities: ActivityDeps;
  /** Anything else that the SDK's worker takes. */
  worker?: Partial<WorkerOptions>;
}

/**
 * A Temporal worker that runs Tactus procedures, and nothing else. For one with workflows of your own: `TactusPlugin`.
 * @throws TactusError internal where the workflow bundle is not built
 */
export async function createTactusWorker(options: TactusWorkerOptions): Promise<Worker> {
  return (await createMirroringWorker(options)).worker;
}

/** A worker, and what it feeds: a mirror and an index, null where it has none. */
export interface MirroringWorker {
  worker: Worker;
  mirror: MirrorWriter | null;
  index: TactusPlugin['indexFeed'];
}

/**
 * The same worker for those that see to its mirror themselves.
 * @throws TactusError internal where the workflow bundle is not built
 */
export async function createMirroringWorker(options: TactusWorkerOptions): Promise<MirroringWorker> {
  const { connection, namespace = 'default', worker: more } = options;
  const plugin = new TactusPlugin(options);
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: plugin.taskQueue,
    // A worker that died keeps its runs for this long; a live one answers at once.
    stickyQueueScheduleToStartTimeout: '3s',
    ...more,
    plugins: [...(more?.plugins ?? []), plugin],
  });
  return { worker, mirror: plugin.mirror, index: plugin.indexFeed };
}
