import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import type { RunIndex } from '../../../src/read-model/run-index.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { openEvents } from '../../support/event-source.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);
const ns = '/namespaces/default';
let index: RunIndex;
let isAway = false;
let api: ApiServer;

beforeAll(async () => {
  const folder = temporaryFolder('api-lists');
  const file = await openRunIndex(join(folder, 'index.sqlite'));
  // A database that can be taken away.
  index = new Proxy(file, {
    get: (target, name: keyof RunIndex) => {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      if (isAway && name !== 'close') return () => Promise.reject(new Error('the database is away'));
      return own.bind(target) as unknown;
    },
  });
  const troubles: string[] = [];
  const tactus = new TactusClient(server.client, { index });
  api = await startApi(tactus, folder, {
    namespaces: [
      {
        ...{ name: 'default', tactus, files: null, signingKey: null, isIndexed: true },
        onTrouble: (problem) => troubles.push(problem),
      },
    ],
  });
  api.troubles = troubles;
  for (const word of ['red', 'green', 'blue'])
    await server.tactus.start(
      procedureOf(`return Human.approve({ message = "Paint it ${word}?", approvers = {"${word}"} })`),
      {},
      { runId: `paint-${word}` },
    );
});
afterAll(async () => {
  await api.close();
  await index.close();
});

async function requests(query = ''): Promise<{ source: string; ids: unknown[]; next: string | null }> {
  const { body } = await api.get(`${ns}/requests?${query}`);
  const {
    source,
    requests: found,
    next,
  } = body as { source: string; requests: JsonObject[]; next: string | null };
  return { source, ids: found.map(({ id }) => id), next };
}

it('come from the index, by the same filters', async () => {
  await waitUntil(async () => (await requests()).ids.length === 3);
  expect(await requests('q=IT%20GREEN')).toEqual({ source: 'index', ids: ['paint-green/0'], next: null });
  expect((await requests('approver=blue')).ids).toEqual(['paint-blue/0']);
  expect((await requests('run=paint-red')).ids).toEqual(['paint-red/0']);
  const first = await requests('limit=2');
  const second = await requests(`limit=2&after=${first.next ?? ''}`);
  expect([...first.ids, ...second.ids].sort()).toEqual(['paint-blue/0', 'paint-green/0', 'paint-red/0']);
  const { body } = await api.get(`${ns}/runs?prefix=paint-&limit=1`);
  expect(body).toMatchObject({ source: 'index', runs: [{ status: 'waiting_for_human', checkpoints: 0 }] });
  expect(body['runs']).not.toMatchObject([{ execution: expect.anything() as unknown }]);
});

it('follow what happens', async () => {
  const events = await openEvents(`${api.url}/api/v1${ns}/events`);
  await events.until(({ event }) => event === 'reset');
  await api.post(`${ns}/requests/paint-red%2F0/decide`, { value: true, by: 'red' });
  await events.until(({ data }) => data['id'] === 'paint-red/0' && data['state'] === 'closed');
  await events.until(({ data }) => data['run_id'] === 'paint-red' && data['status'] === 'completed');
  expect((await requests()).ids).not.toContain('paint-red/0');
  events.close();
});

it('come from the runs where the index is away', async () => {
  isAway = true;
  await waitUntil(async () => (await requests()).source === 'runs');
  expect((await requests('q=green')).ids).toEqual(['paint-green/0']);
  expect((await api.get(`${ns}/runs?prefix=paint-`)).body).toMatchObject({ source: 'runs' });
  expect(api.troubles[0]).toContain('the database is away');
  isAway = false;
  expect((await requests()).source).toBe('index');
});

it('have what a run answered last whose worker is gone', { timeout: 60_000 }, async () => {
  const worker = await startWorker(server, { taskQueue: 'gone', index });
  const gone = new TactusClient(server.client, { taskQueue: 'gone', index });
  const run = await gone.start(
    procedureOf('state.seen = "this" print("that") return 1'),
    {},
    { runId: 'gone' },
  );
  await run.result();
  const { runId: execution } = await run.handle.describe();
  await waitUntil(async () => (await gone.lastAnswers('gone', execution)) !== null);
  await worker.stop();
  const shown = await api.get(`${ns}/runs/gone`);
  expect(shown.body).toMatchObject({
    status: 'completed',
    output: 1,
    state: { seen: 'this' },
    printed: ['that'],
  });
  expect(shown.body['incomplete']).toBeUndefined();

  isAway = true;
  const { body } = await api.get(`${ns}/runs/gone`);
  isAway = false;
  expect(body).toMatchObject({ status: 'completed', output: 1, state: {} });
  expect(body['incomplete']).toContain("can't be had");
});
