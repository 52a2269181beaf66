import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { TactusPlugin } from 'tactus-temporal/worker';

const folderOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const plugin = new TactusPlugin({
  activities: {
    env: process.env,
    filesRoot: folderOf('files'),
    // `{ procedure: 'refund' }` in workflows.ts is the file refund.tac here.
    procedureFolders: [folderOf('procedures')],
  },
  taskQueue: 'refunds',
});
const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  workflowsPath: folderOf('workflows.ts'),
  taskQueue: plugin.taskQueue,
  plugins: [plugin],
});
console.log(`polling the task queue "${plugin.taskQueue}" at ${address}`);
await worker.run();
