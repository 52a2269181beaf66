import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { defaultTaskQueue, workflowType } from '../../src/contract/names.js';
import type { StartInput } from '../../src/contract/start-input.js';
import { workflowBundlePath } from '../../src/worker/workflow-bundle.js';
import { answerRequests } from '../support/answer-requests.js';
import { failedTasks } from '../support/histories.js';
import { historiesBelow } from '../support/histories-below.js';
import { keepBundle, keptBundle, keptVersions } from '../support/kept-bundle.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { keptAnswer } from './kept-answer.js';
import { keptHistories, writeHistory } from './kept-histories.js';
import { keptProcedures, type KeptProcedure } from './kept-procedures.js';
import { keptReply } from './kept-reply.js';
import type { KeptScene } from './kept-scenes.js';
import { updateManifest } from './manifest.js';

/**
 * Keeps the workflow bundle of this version and the histories that are missing of it, and does so only when asked, by
 * `KEEP_HISTORIES=1 npm test -- test/replay/keep`. What is there stays as it is: histories that are added to a version
 * later are made by the bundle that was kept of it.
 */
const isAsked = process.env['KEEP_HISTORIES'] !== undefined;

let version: string;
let workflowBundle: { codePath: string };
let server: TestServer;
let worker: TestWorker | null = null;
let provider: ProviderStandIn;
let filesRoot: string;

beforeAll(async () => {
  if (!isAsked) return;
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  ({ version } = JSON.parse(manifest) as { version: string });
  if (!keptVersions().includes(version)) keepBundle(version, workflowBundlePath());
  workflowBundle = { codePath: keptBundle(version) };
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(keptReply());
  filesRoot = await files();
  await startKeptWorker();
});

afterAll(async () => {
  if (!isAsked) return;
  await stopWorker();
  await provider.close();
  await server.stop();
  updateManifest();
});

async function startKeptWorker(): Promise<void> {
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
  worker = await startWorker(server, {
    activities: { env, filesRoot, procedureFolders: [fileURLToPath(new URL('procedures', import.meta.url))] },
    worker: { workflowBundle, interceptors: { activity: [slowFiles] } },
  });
}

async function stopWorker(): Promise<void> {
  await worker?.stop();
  worker = null;
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
  const reviews = join(root, 'examples', 'reviews.csv');
  await mkdir(dirname(reviews));
  await copyFile(new URL('../../examples/reviews.csv', import.meta.url), reviews);
  await mkdir(join(root, 'notes'));
  for (let j = 1; j <= 5; j++) await writeFile(join(root, 'notes', `${j}.txt`), `note ${j}`);
  return root;
}

async function startOf({ folder, entry, input, start, isByName }: KeptProcedure): Promise<StartInput> {
  const what = isByName ? { procedure: nameOf(entry) } : { source: await collectSource(folder, entry) };
  return { ...what, input: input(`${provider.url}/score`), ...start };
}

function nameOf(entry: string): string {
  return entry.replace('.tac', '');
}

describe.runIf(isAsked)('histories are kept', () => {
  it.each(keptProcedures)('of $entry', async (procedure) => {
    const runId = nameOf(procedure.entry);
    if (keptHistories().some((each) => each.version === version && each.workflowId === runId)) return;
    const run = server.tactus.attach(runId);
    const scene: KeptScene = { server, run, startWorker: startKeptWorker, stopWorker };
    await procedure.before?.(scene);
    await server.client.workflow.start(workflowType, {
      args: [await startOf(procedure)],
      workflowId: runId,
      taskQueue: defaultTaskQueue,
      ...(procedure.taskTimeout === undefined ? {} : { workflowTaskTimeout: procedure.taskTimeout }),
    });
    const during = procedure.during?.(scene);
    const answers = answerRequests(server.tactus, runId, keptAnswer);
    await during;
    const ended = await run.result().catch((error: unknown) => error);
    await answers.stop();
    expect((await run.status()).status, String(ended)).toBe(procedure.ends ?? 'completed');
    const histories = await historiesBelow(server.tactus, runId);
    expect(failedTasks(histories.map(({ history }) => history))).toEqual([]);
    for (let i = 0; i < 2; i++) expect(await replayHistories(histories, { workflowBundle })).toEqual([]);
    for (const { history, ...which } of histories)
      writeHistory({ version, ...which }, history, procedure.isLarge === true);
  });
});
