import { SimplePlugin } from '@temporalio/plugin';
import type { WorkerOptions } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../activities/index.js';
import { mirrorSinks } from './create-tactus-worker.js';
import type { PayloadStore } from './payload-store/payload-store.js';
import { withPayloadStore } from './payload-store/with-payload-store.js';

/**
 * Adds procedures to a worker of your own: `Worker.create({ plugins: [new TactusPlugin(deps)], workflowsPath, … })`.
 * Your workflows must export ours: `export { tactus } from 'tactus-temporal/workflow'`.
 */
export class TactusPlugin extends SimplePlugin {
  /** The store is the one of `TactusWorkerOptions`. */
  constructor(
    activities: ActivityDeps,
    private readonly payloadStore?: PayloadStore,
  ) {
    const storesLargePayloads = payloadStore !== undefined;
    super({
      name: 'tactus-temporal',
      activities: { ...createActivities({ ...activities, storesLargePayloads }) },
    });
  }

  override configureWorker(options: WorkerOptions): WorkerOptions {
    const configured = super.configureWorker(options);
    return {
      ...configured,
      dataConverter: withPayloadStore(configured.dataConverter, this.payloadStore),
      sinks: { ...configured.sinks, ...mirrorSinks(null) },
    };
  }
}
