/**
 * Workers of ours in a process of their own: `node worker.ts ADDRESS PROVIDER_URL [BROKER]`; where there is a broker, one of them streams through it. They say
 * so when they work, and end with their input.
 */
import { NativeConnection } from '@temporalio/worker';
import { z } from 'zod';
import { NatsStreams } from '../../dist/index.js';
import { createTactusWorker, defineTool } from '../../dist/worker.js';
import { quiet } from '../stage.ts';
import { page } from './ai-sdk/page.mjs';
import { streamsTaskQueue, workerEnvironment } from './procedures.ts';

const [address = '', provider = '', broker] = process.argv.slice(2);
quiet();
const connection = await NativeConnection.connect({ address });
const reader = defineTool({
  name: 'read_page',
  description: 'Reads a page',
  input: z.object({ n: z.number(), words: z.number() }),
  effect: 'pure',
  execute: page,
});
const activities = {
  ...{ env: workerEnvironment(provider), filesRoot: '.', procedureFolders: [] },
  tools: [reader],
};
const workers = [await createTactusWorker({ connection, activities })];
const streams = broker === undefined ? null : new NatsStreams({ servers: broker });
if (streams !== null) {
  const options = { connection, taskQueue: streamsTaskQueue, activities: { ...activities, streams } };
  workers.push(await createTactusWorker(options));
}
const running = workers.map((worker) => worker.run());
console.log('works');
process.stdin.resume().on('end', () => {
  for (const worker of workers) worker.shutdown();
});
await Promise.all(running);
await streams?.close();
await connection.close();
