import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { defaultTaskQueue, workflowType } from '../../src/contract/names.js';
import type { StartInput } from '../../src/contract/runs/start-input.js';
import { collectSource } from '../../src/sources/collect-source.js';
import { Mine } from '../support/mine.js';
import { startProviderStandIn } from '../support/provider-stand-in.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { keptReply } from './kept-reply.js';
import { keptTools } from './kept-tools.js';
import type { KeptProcedure } from './kept-procedures.js';

/** A server, a worker, files and a provider for the kept procedures. */
export interface KeptStage {
  server: TestServer;
  startWorker: () => Promise<void>;
  stopWorker: () => Promise<void>;
  start(procedure: KeptProcedure, runId: string): Promise<TactusRun>;
  close(): Promise<void>;
}

/** `workflowBundle`: left out, the one that is built now. */
export async function openKeptStage(workflowBundle?: { codePath: string }): Promise<KeptStage> {
  const server = await startDevServer();
  const provider = await startProviderStandIn();
  provider.reply(keptReply());
  const filesRoot = await files();
  const modelsFolder = fileURLToPath(new URL('../fixtures/models', import.meta.url));
  const indexesFolder = temporaryFolder('kept-indexes');
  const mcpServers = { mine: new Mine(temporaryFolder('mine')).overStdio };
  let worker: TestWorker | null = null;
  const stage: KeptStage = {
    server,
    async startWorker() {
      const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
      const procedureFolders = [fileURLToPath(new URL('procedures', import.meta.url))];
      worker = await startWorker(server, {
        activities: {
          ...{ env, filesRoot, procedureFolders, tools: keptTools, mcpServers },
          ...{ modelsFolder, corporaFolder: filesRoot, indexesFolder },
          outbox: { tell: { url: `${provider.url}/told` } },
        },
        worker: {
          ...(workflowBundle === undefined ? {} : { workflowBundle }),
          interceptors: { activity: [slowFiles] },
        },
      });
    },
    async stopWorker() {
      await worker?.stop();
      worker = null;
    },
    async start(procedure, runId) {
      await server.client.workflow.start(workflowType, {
        args: [await startOf(procedure, `${provider.url}/score`)],
        workflowId: runId,
        taskQueue: defaultTaskQueue,
        ...(procedure.taskTimeout === undefined ? {} : { workflowTaskTimeout: procedure.taskTimeout }),
      });
      return server.tactus.attach(runId);
    },
    async close() {
      await stage.stopWorker();
      await provider.close();
      await server.stop();
    },
  };
  await stage.startWorker();
  return stage;
}

export function nameOf({ entry }: KeptProcedure): string {
  return entry.replace('.tac', '');
}

async function startOf(procedure: KeptProcedure, endpoint: string): Promise<StartInput> {
  const { folder, entry, input, start, isByName } = procedure;
  const what = isByName ? { procedure: nameOf(procedure) } : { source: await collectSource(folder, entry) };
  return { ...what, input: input(endpoint), ...start };
}

/** Files whose path says so take their time. */
function slowFiles(): { inbound: ActivityInboundCallsInterceptor } {
  return {
    inbound: {
      async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) {
        const asked = JSON.stringify(input.args);
        if (asked.includes('"slow/')) await delay(2_500);
        if (asked.includes('"rather-slow/')) await delay(100);
        return next(input);
      },
    },
  };
}

/** What the procedures read, in a folder of its own. */
async function files(): Promise<string> {
  const root = temporaryFolder('kept');
  await copyFile(new URL('../../examples/reviews.csv', import.meta.url), join(root, 'reviews.csv'));
  await mkdir(join(root, 'notes'));
  await copyFile(
    new URL('../fixtures/data-files/people.parquet', import.meta.url),
    join(root, 'people.parquet'),
  );
  await mkdir(join(root, 'wares'));
  await writeFile(
    join(root, 'wares', 'kettle.md'),
    'A kettle has a warranty of two years.\n\nDescale it with vinegar.',
  );
  await writeFile(join(root, 'wares', 'trains.md'), 'Trains to Berlin leave every hour.');
  for (let j = 1; j <= 5; j++) await writeFile(join(root, 'notes', `${j}.txt`), `note ${j}`);
  return root;
}
