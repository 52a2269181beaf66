import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import type { TestServer } from './test-server.js';
import { startWorker, type TestWorker } from './test-worker.js';

const workflowsPath = fileURLToPath(new URL('./broken-workflows.ts', import.meta.url));

/** A worker of a faulty deploy: its workflow code throws an error that nobody knows, whatever the run. */
export async function startBrokenWorker(server: TestServer): Promise<TestWorker> {
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  return startWorker(server, { worker: { workflowBundle } });
}
