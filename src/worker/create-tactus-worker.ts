import { NativeConnection, Worker, type InjectedSinks, type WorkerOptions } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../activities/index.js';
import { defaultTaskQueue } from '../contract/names.js';
import type { MirrorUpdate, TactusSinks } from '../workflows/mirror.js';
import { workflowBundlePath } from './workflow-bundle.js';

export interface TactusWorkerOptions {
  connection?: NativeConnection;
  namespace?: string;
  taskQueue?: string;
  /** What the activities get: keys, folders, the local model. */
  activities: ActivityDeps;
  /** Told of every change of a run that this worker has; must not throw. Left out: no mirror. */
  onMirror?: (update: MirrorUpdate) => void;
  /** Anything else that the SDK's worker takes. */
  worker?: Partial<WorkerOptions>;
}

/**
 * A Temporal worker that runs Tactus procedures.
 * @throws TactusError internal where the workflow bundle is not built
 */
export async function createTactusWorker(options: TactusWorkerOptions): Promise<Worker> {
  const { connection, namespace, taskQueue, activities, onMirror } = options;
  const sinks: InjectedSinks<TactusSinks> = {
    tactusMirror: { update: { fn: (_info, update) => onMirror?.(update), callDuringReplay: false } },
  };
  return Worker.create({
    ...(connection === undefined ? {} : { connection }),
    namespace: namespace ?? 'default',
    taskQueue: taskQueue ?? defaultTaskQueue,
    workflowBundle: { codePath: workflowBundlePath() },
    activities: { ...createActivities(activities) },
    // A worker that died keeps its runs for this long; a live one answers at once.
    stickyQueueScheduleToStartTimeout: '3s',
    ...options.worker,
    sinks: { ...options.worker?.sinks, ...sinks },
  });
}
