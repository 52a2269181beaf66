import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectSource } from '../../src/client/collect-source.js';
import { answerRequests } from '../support/answer-requests.js';
import { historiesOf } from '../support/histories.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { historyToText } from './history-text.js';
import { keptAnswer } from './kept-answer.js';
import { keptProcedures } from './kept-procedures.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/**
 * Makes the histories that are kept, and does so only when asked, by `KEEP_HISTORIES=1 npm test -- test/replay/keep`:
 * once for each released version, and never again for one that was released.
 */
const isAsked = process.env['KEEP_HISTORIES'] !== undefined;

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;
let folder: string;

beforeAll(async () => {
  if (!isAsked) return;
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  folder = fileURLToPath(new URL(`histories/${version}`, import.meta.url));
  await mkdir(folder, { recursive: true });
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
  worker = await startWorker(server, { activities: { env, filesRoot: await files() } });
});

afterAll(async () => {
  if (!isAsked) return;
  await worker.stop();
  await provider.close();
  await server.stop();
});

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

describe.runIf(isAsked)('histories are kept', () => {
  it.each(keptProcedures)('of $entry', async ({ folder: from, entry, input, limits }) => {
    const name = entry.replace('.tac', '');
    const run = await server.tactus.start(await collectSource(from, entry), input(`${provider.url}/score`), {
      runId: name,
      ...(limits === undefined ? {} : { limits }),
    });
    const answers = answerRequests(server.tactus, run.runId, keptAnswer);
    await run.result();
    await answers.stop();
    expect((await run.status()).status).toBe('completed');
    const { execution_log: log } = await run.log();
    const children = log.filter(({ type }) => type === 'procedure_call' || type === 'procedure_spawn');
    const runIds = [name, ...children.map(({ position }) => `${name}/${position}`)];
    for (const runId of runIds) {
      for (const [i, history] of (await historiesOf(server.client, runId)).entries())
        await writeFile(join(folder, `${runId.replaceAll('/', '.')}-${i}.json`), historyToText(history));
    }
  });
});
