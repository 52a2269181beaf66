/** `node soak-worker.ts ADDRESS TASK_QUEUE BUNDLE`: a worker of workflows written by hand. It says so when it works. */
import { NativeConnection, Worker } from '@temporalio/worker';
import { pluginByHand, quiet } from '../stage.ts';

const [address = '', taskQueue = '', codePath = ''] = process.argv.slice(2);
quiet();
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  ...{ connection, taskQueue, workflowBundle: { codePath } },
  plugins: [pluginByHand],
  // As workers of procedures have it.
  stickyQueueScheduleToStartTimeout: '3s',
});
console.log('works');
await worker.run();
