import {
  Runtime,
  Worker,
  type NativeConnection,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import { defined } from '../../contract/json/json.js';
import {
  type ActivityDeps,
  createModelHost,
  type ModelHost,
  type ToolHost,
  toolHosts,
} from '../../activities/index.js';
import type {
  CallToolInput,
  ContinuedCallInput,
  DropTaskInput,
  FollowTaskInput,
  ModelBatchInput,
  ModelCallInput,
  RetrieveInput,
  RunModelInput,
} from '../../contract/activities.js';
import type { CallQueue } from '../../contract/runs/run-settings.js';
import { ActivityMeter } from '../health/activity-meter.js';
import { tracedActivities } from '../traces/traced-activities.js';
import { workerActivities } from '../worker-activities.js';

export interface ModelWorkerOptions extends CallQueue {
  connection: NativeConnection;
  namespace?: string;
  /** What calls of models get: keys above all. */
  activities: ActivityDeps;
  /** Anything else that the SDK's worker takes. Its data converter must be that of the workers that run procedures. */
  worker?: Partial<WorkerOptions>;
}

/**
 * Creates a worker that makes calls of models, prediction models, retrievers and tools, and does nothing else: for a task queue that
 * the settings `model_queues` and `tool_queues`, or a declaration, send these calls to. Another worker runs the procedures.
 */
export function createModelWorker(options: ModelWorkerOptions): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue, activities, perSecond, concurrency } = options;
  const models = createModelHost();
  const meter = new ActivityMeter(Runtime.instance().metricMeter, { namespace, task_queue: taskQueue });
  const tools = toolHosts(activities);
  const all = meter.measured(workerActivities(activities, tools, models));
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
      callTool: (input: CallToolInput) => all.callTool(input),
      followTask: (input: FollowTaskInput) => all.followTask(input),
      dropTask: (input: DropTaskInput) => all.dropTask(input),
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
    plugins: [...(options.worker?.plugins ?? []), closing(activities, models, tools)],
  });
}

/** Warms up the process that runs prediction models as the worker begins. Ends it and the connections of tools with the worker. */
function closing(deps: ActivityDeps, models: ModelHost, tools: readonly ToolHost[]): WorkerPlugin {
  return {
    name: 'tactus-models',
    runWorker: async (worker, next) => {
      const endWarming = beginWarming(deps, models);
      try {
        await next(worker);
      } finally {
        endWarming();
        models.close();
        await Promise.all(tools.map((host) => host.close()));
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
