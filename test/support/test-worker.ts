import type { WorkerOptions } from '@temporalio/worker';
import type { ActivityDeps } from '../../src/activities/index.js';
import { createTactusWorker, type TactusWorkerOptions } from '../../src/worker/create-tactus-worker.js';
import { keepThreads } from './kept-threads.js';
import type { TestServer } from './test-server.js';

export interface TestWorkerOptions {
  taskQueue?: string;
  activities?: Partial<ActivityDeps>;
  storage?: TactusWorkerOptions['storage'];
  index?: TactusWorkerOptions['index'];
  payloadStore?: TactusWorkerOptions['payloadStore'];
  gateArchives?: string;
  stackTraces?: boolean;
  worker?: Partial<WorkerOptions>;
}

export interface TestWorker {
  /** Resolves when the worker has ended what it was at. */
  stop(): Promise<void>;
}

/** A worker in this process. It has no keys, and nothing of this machine's environment. */
export async function startWorker(server: TestServer, options: TestWorkerOptions = {}): Promise<TestWorker> {
  keepThreads();
  const { taskQueue, activities, storage, index, payloadStore, gateArchives, stackTraces, worker } = options;
  const created = await createTactusWorker({
    connection: server.env.nativeConnection,
    ...(server.env.namespace === undefined ? {} : { namespace: server.env.namespace }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
    ...(storage === undefined ? {} : { storage }),
    ...(index === undefined ? {} : { index }),
    ...(payloadStore === undefined ? {} : { payloadStore }),
    ...(gateArchives === undefined ? {} : { gateArchives }),
    ...(stackTraces === undefined ? {} : { stackTraces }),
    activities: { env: {}, filesRoot: '/nonexistent', procedureFolders: [], ...activities },
    worker: {
      stickyQueueScheduleToStartTimeout: '500ms',
      shutdownGraceTime: '100ms',
      // Left to itself, the SDK keeps heartbeats back until a fifth of their time is left: too little for short ones on a loaded machine.
      maxHeartbeatThrottleInterval: '500ms',
      ...worker,
    },
  });
  const running = created.run();
  running.catch(() => undefined); // told by stop
  return {
    stop: async () => {
      if (created.getState() === 'RUNNING') created.shutdown();
      await running;
    },
  };
}
