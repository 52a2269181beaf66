import { fileURLToPath } from 'node:url';
import { NativeConnection } from '@temporalio/worker';
import { createTactusWorker } from 'tactus-temporal/worker';
import { refunds } from './graph.ts';

const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
const worker = await createTactusWorker({
  connection: await NativeConnection.connect({ address }),
  activities: {
    env: process.env,
    filesRoot: fileURLToPath(new URL('files', import.meta.url)),
    procedureFolders: [],
    graphs: [refunds],
  },
});
console.log(`polling at ${address}`);
await worker.run();
