import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { ActivityDeps } from '../activities/index.js';
import type { ContinuedCallInput, ModelBatchInput, ModelCallInput } from '../contract/activities.js';
import type { ModelQueue } from '../contract/model-queue.js';
import { workerActivities } from './worker-activities.js';

export interface ModelWorkerOptions extends ModelQueue {
  connection: NativeConnection;
  namespace?: string;
  /** What calls of models get: keys above all. */
  activities: ActivityDeps;
  /** Anything else that the SDK's worker takes. Its data converter must be that of the workers that run procedures. */
  worker?: Partial<WorkerOptions>;
}

/**
 * A worker that calls the models of one provider, and does nothing else: for the task queue that the setting `model_queues`
 * sends these calls to. Runs go on elsewhere.
 */
export function createModelWorker(options: ModelWorkerOptions): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue, activities, perSecond, concurrency } = options;
  const all = workerActivities(activities, []);
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    activities: {
      modelCall: (input: ModelCallInput) => all.modelCall(input),
      continuedModelCall: (input: ContinuedCallInput) => all.continuedModelCall(input),
      modelBatch: (input: ModelBatchInput) => all.modelBatch(input),
    },
    ...(perSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: perSecond }),
    ...(concurrency === undefined ? {} : { maxConcurrentActivityTaskExecutions: concurrency }),
    ...options.worker,
  });
}
