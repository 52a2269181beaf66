/** A worker of `@temporalio/ai-sdk`: `node worker.mjs ADDRESS PROVIDER_URL`. It says so when it works, and ends with its input. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { page } from './page.mjs';

const [address, baseURL] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const modelProvider = createOpenAICompatible({ name: 'stand-in', baseURL, apiKey: 'none' });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: 'ai-sdk',
  workflowsPath: new URL('workflows.mjs', import.meta.url).pathname,
  activities: { readPage: page },
  plugins: [new AiSdkPlugin({ modelProvider })],
});
const running = worker.run();
process.stdout.write('works\n');
process.stdin.resume().on('end', () => worker.shutdown());
await running;
