import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FileStorage } from '../../../src/client/storage/file-storage.js';
import { historiesOf } from '../../support/histories.js';
import { answerByRequest } from '../../support/model-answers.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const canary = 'sk-canary-0123456789abcdef';
const secret = 'token-canary-fedcba9876543210';

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;
let mirror: string;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  const env = { OPENAI_API_KEY: canary, OPENAI_BASE_URL: `${provider.url}/v1`, SCORE_TOKEN: secret };
  mirror = temporaryFolder('mirror');
  worker = await startWorker(server, { activities: { env }, storage: new FileStorage(mirror) });
});

afterAll(async () => {
  await worker.stop();
  await provider.close();
  await server.stop();
});

it('no key of the worker reaches history, queries, errors, the mirror or what is logged', async () => {
  provider.reply(
    { status: 401, body: { error: { message: `Incorrect API key provided: ${canary}` } } },
    { text: `Your key is ${canary}` },
    { json: { echoed: `Bearer ${secret}` } },
    { status: 400, body: { error: { message: `no: ${secret}` } } },
    answerByRequest,
  );
  const source = procedureOf(`
    local ask = function() return Agent.run{ prompt = "hello", model = "openai/gpt-4o-mini" } end
    local refused, why = pcall(ask)
    local told = ask()
    local score = Model { type = "http", endpoint = "${provider.url}/score", headers = { authorization = { secret = "SCORE_TOKEN" } } }
    local echoed = score({ x = 1 })
    local failed, reason = pcall(function() return score({ x = 2 }) end)
    state.all = { tostring(why), told, echoed, tostring(reason), tostring(os.getenv and os.getenv("OPENAI_API_KEY")) }
    print(tostring(why), tostring(reason))
    error("ended with " .. tostring(reason))`);
  const run = await server.tactus.start(source);
  const error: unknown = await run.result().catch((each: unknown) => each);
  const histories = await historiesOf(server.client, run.runId);
  const seen = [
    error,
    error instanceof Error ? error.stack : '',
    histories.flatMap(({ events }) => events ?? []).map(decoded),
    await run.status(),
    await run.state(),
    await run.log(),
    await run.shown(),
    await run.handle.query('__temporal_workflow_metadata'),
    server.logged,
    await waitUntil(async () => {
      const texts = await textsIn(mirror);
      return texts.some((text) => text.includes('FAILED')) && texts;
    }),
  ];
  expect(provider.requests.length).toBeGreaterThanOrEqual(4);
  expect(JSON.stringify(provider.requests)).toContain(canary);
  expect(JSON.stringify(provider.requests)).toContain(secret);
  const text = JSON.stringify(seen);
  expect(text).toContain('ended with');
  expect(text).not.toContain(canary);
  expect(text).not.toContain(secret);
  expect(text).not.toContain('canary');
});

async function textsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
}

/** An event with the texts of its payloads readable. */
function decoded(event: unknown): string {
  return JSON.stringify(event, (_key, value: unknown) => {
    if (value instanceof Uint8Array) return new TextDecoder().decode(value);
    return typeof value === 'bigint' ? String(value) : value;
  });
}
