import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { Worker, type InjectedSinks, type WorkerOptions } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../activities/index.js';
import type { StorageBackend } from '../client/storage/storage-backend.js';
import { defaultTaskQueue } from '../contract/names.js';
import type { TactusSinks } from '../workflows/mirror.js';
import { clientReader } from './mirror/client-reader.js';
import { MirrorWriter } from './mirror/mirror-writer.js';
import type { PayloadStore } from './payload-store/payload-store.js';
import { withPayloadStore } from './payload-store/with-payload-store.js';
import { workflowBundlePath } from './workflow-bundle.js';

export interface TactusWorkerOptions {
  connection: NativeConnection;
  namespace?: string;
  taskQueue?: string;
  /** What the activities get: keys, folders, the local model. */
  activities: ActivityDeps;
  /** Where the status, state and log of runs are mirrored for the Tactus API. Left out: nowhere. */
  storage?: StorageBackend;
  /** Told of a mirror write that failed; the run goes on, and the write is tried again. */
  onMirrorError?: (runId: string, error: unknown) => void;
  /**
   * Where logs are kept that have grown too large for a history, the same for all workers of the task queue. Left
   * out: a run with such a log goes on in one execution for as long as the server allows, and then fails.
   */
  payloadStore?: PayloadStore;
  /** Anything else that the SDK's worker takes. */
  worker?: Partial<WorkerOptions>;
}

/**
 * A Temporal worker that runs Tactus procedures.
 * @throws TactusError internal where the workflow bundle is not built
 */
export async function createTactusWorker(options: TactusWorkerOptions): Promise<Worker> {
  const { worker, mirror } = await createMirroringWorker(options);
  // What happened while no worker was there is caught up with beside the first runs.
  mirror?.reconcile().catch((error: unknown) => options.onMirrorError?.('', error));
  return worker;
}

/** A worker, and the mirror that it feeds; null where it has no storage. */
export interface MirroringWorker {
  worker: Worker;
  mirror: MirrorWriter | null;
}

/**
 * The same worker for those that see to its mirror themselves.
 * @throws TactusError internal where the workflow bundle is not built
 */
export async function createMirroringWorker(options: TactusWorkerOptions): Promise<MirroringWorker> {
  const { connection, storage, payloadStore } = options;
  const activities = { ...options.activities, storesLargePayloads: payloadStore !== undefined };
  const namespace = options.namespace ?? 'default';
  const dataConverter = withPayloadStore(options.worker?.dataConverter, payloadStore);
  const onError = options.onMirrorError ?? (() => undefined);
  const mirror =
    storage === undefined
      ? null
      : new MirrorWriter(storage, clientReader(new Client({ connection, namespace, dataConverter })), {
          onError,
        });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: options.taskQueue ?? defaultTaskQueue,
    workflowBundle: { codePath: workflowBundlePath() },
    activities: { ...createActivities(activities) },
    // A worker that died keeps its runs for this long; a live one answers at once.
    stickyQueueScheduleToStartTimeout: '3s',
    ...options.worker,
    dataConverter,
    sinks: { ...options.worker?.sinks, ...mirrorSinks(mirror) },
  });
  return { worker, mirror };
}

/** The sink must be there for every run: the SDK complains of one that isn't. */
export function mirrorSinks(writer: MirrorWriter | null): InjectedSinks<TactusSinks> {
  return {
    tactusMirror: { update: { fn: (_info, update) => writer?.update(update), callDuringReplay: false } },
  };
}
