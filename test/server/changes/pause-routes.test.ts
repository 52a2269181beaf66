import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);
const runs = '/namespaces/default/runs';
let api: ApiServer;

beforeAll(async () => {
  const folder = temporaryFolder('api');
  writeFileSync(
    join(folder, 'ask.tac'),
    'Procedure { function() Human.approve("First?") return Human.approve("Second?") end }',
  );
  api = await startApi(server.tactus, folder);
});
afterAll(() => api.close());

const statusOf = async (run: string): Promise<unknown> => (await api.get(`${runs}/${run}`)).body['status'];

it('runs are paused by whoever asks, show it, and go on', async () => {
  await api.post(runs, { procedure: 'ask', input: {}, run_id: 'one' });
  await waitUntil(async () => (await statusOf('one')) === 'waiting_for_human');
  const paused = await api.post(`${runs}/one/pause`, { reason: 'look', deadlines: 'stand_still' });
  expect(paused).toMatchObject({
    status: 200,
    body: {
      ...{ status: 'paused', changed: true, waiting: 1, waiting_for: [{ kind: 'human' }] },
      paused: { reason: 'look', deadlines: 'stand_still' },
    },
  });
  expect((await api.get(`${runs}/one`)).body).toMatchObject({ status: 'paused', paused: { reason: 'look' } });
  expect((await api.post(`${runs}/one/pause`)).body).toMatchObject({ changed: false, status: 'paused' });
  await api.post('/namespaces/default/requests/one%2F0/decide', { value: true });
  await waitUntil(async () => (await api.get(`${runs}/one`)).body['checkpoints'] === 1);
  expect((await api.get(`${runs}/one`)).body).toMatchObject({ pending: [], waits: [{ held: true }] });
  expect((await api.post(`${runs}/one/unpause`)).body).toMatchObject({ changed: true, status: 'running' });
  await waitUntil(async () => (await statusOf('one')) === 'waiting_for_human');
});

it('what is no pause, or no run, is refused', async () => {
  expect((await api.post(`${runs}/one/pause`, { deadlines: 'never' })).status).toBe(400);
  expect((await api.post(`${runs}/one/pause`, { reason: 'x'.repeat(1_001) })).status).toBe(400);
  expect((await api.post(`${runs}/nobody/pause`)).status).toBe(404);
  await api.post(`${runs}/one/terminate`);
  await waitUntil(async () => (await statusOf('one')) === 'terminated');
  expect((await api.post(`${runs}/one/pause`)).status).toBe(409);
});
