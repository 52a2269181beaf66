import { SimplePlugin } from '@temporalio/plugin';
import type { WorkerOptions } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../activities/index.js';
import { mirrorSinks } from './create-tactus-worker.js';

/**
 * Adds procedures to a worker of your own: `Worker.create({ plugins: [new TactusPlugin(deps)], workflowsPath, … })`.
 * Your workflows must export ours: `export { tactus } from 'tactus-temporal/workflow'`.
 */
export class TactusPlugin extends SimplePlugin {
  constructor(activities: ActivityDeps) {
    super({ name: 'tactus-temporal', activities: { ...createActivities(activities) } });
  }

  override configureWorker(options: WorkerOptions): WorkerOptions {
    const configured = super.configureWorker(options);
    return { ...configured, sinks: { ...configured.sinks, ...mirrorSinks(null) } };
  }
}
