/**
 * `node waiting-worker.ts ADDRESS TASK_QUEUE CACHED`: a worker that keeps at most so many workflows. It says so when it works. It ends with its
 * input, and says then how much memory its process has, in bytes.
 */
import { NativeConnection } from '@temporalio/worker';
import { createTactusWorker } from '../../dist/worker.js';
import { quiet } from '../stage.ts';

const [address = '', taskQueue = '', cached = ''] = process.argv.slice(2);
quiet();
const connection = await NativeConnection.connect({ address });
const worker = await createTactusWorker({
  ...{ connection, taskQueue },
  activities: { env: {}, filesRoot: '.', procedureFolders: [] },
  worker: { maxCachedWorkflows: Number(cached) },
});
const running = worker.run();
console.log('works');
process.stdin.resume().on('end', () => {
  console.log(process.memoryUsage.rss());
  worker.shutdown();
});
await running;
await connection.close();
