import {
  Runtime,
  Worker,
  type NativeConnection,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import { defined } from '../../contract/json/json.js';
import { type ActivityDeps, createModelHost, type ModelHost } from '../../activities/index.js';
import type {
  ContinuedCallInput,
  ModelBatchInput,
  ModelCallInput,
  RetrieveInput,
  RunModelInput,
} from '../../contract/activities.js';
import type { ModelQueue } from '../../contract/runs/run-settings.js';
import { ActivityMeter } from '../health/activity-meter.js';
import { tracedActivities } from '../traces/traced-activities.js';
import { workerActivities } from '../worker-activities.js';

export interface ModelWorkerOptions extends ModelQueue {
  connection: NativeConnection;
  namespace?: string;
  /** What calls of models get: keys above all. */
  activities: ActivityDeps;
  /** Anything else that the SDK's worker takes. Its data converter must be that of the workers that run procedures. */
  worker?: Partial<WorkerOptions>;
}

/**
 * A worker that calls the models of one provider, runs prediction models of one type, or looks things up in corpora, and does
 * nothing else: for the task queue that the setting `model_queues`, or a declaration, sends these calls to. Runs go on elsewhere.
 */
export function createModelWorker(options: ModelWorkerOptions): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue, activities, perSecond, concurrency } = options;
  const models = createModelHost();
  const meter = new ActivityMeter(Runtime.instance().metricMeter, { namespace, task_queue: taskQueue });
  const all = meter.measured(workerActivities(activities, [], models));
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    activities: {
      modelCall: (input: ModelCallInput) => all.modelCall(input),
      continuedModelCall: (input: ContinuedCallInput) => all.continuedModelCall(input),
      modelBatch: (input: ModelBatchInput) => all.modelBatch(input),
      runModel: (input: RunModelInput) => all.runModel(input),
      retrieve: (input: RetrieveInput) => all.retrieve(input),
    },
    ...defined({
      maxTaskQueueActivitiesPerSecond: perSecond,
      maxConcurrentActivityTaskExecutions: concurrency,
    }),
    ...options.worker,
    interceptors: {
      ...options.worker?.interceptors,
      activity: [...(options.worker?.interceptors?.activity ?? []), tracedActivities(false)],
    },
    plugins: [...(options.worker?.plugins ?? []), closing(activities, models)],
  });
}

/** The process that runs prediction models is warmed up as the worker begins, and ends with it. */
function closing(deps: ActivityDeps, models: ModelHost): WorkerPlugin {
  return {
    name: 'tactus-models',
    runWorker: async (worker, next) => {
      const endWarming = beginWarming(deps, models);
      try {
        await next(worker);
      } finally {
        endWarming();
        models.close();
      }
    },
  };
}

/**
 * Loads models as a worker begins, beside its other work, and not where there are none to be loaded.
 * @returns what ends that, where the worker ends before
 */
export function beginWarming(deps: ActivityDeps | undefined, host: ModelHost): () => void {
  const ended = new AbortController();
  if (deps?.warmModels !== undefined && deps.warmModels.length > 0) {
    const { logger } = Runtime.instance();
    void import('../../activities/predictions/served/ask-host.js').then(({ warmModels }) =>
      warmModels(deps, host, logger, ended.signal),
    );
  }
  return () => {
    ended.abort(new Error('the worker has ended'));
  };
}
