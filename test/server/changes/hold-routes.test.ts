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
const holds = '/namespaces/default/holds';
let api: ApiServer;

beforeAll(async () => {
  const folder = temporaryFolder('api');
  writeFileSync(join(folder, 'ask.tac'), 'Procedure { function() return Human.approve("Now?") end }');
  api = await startApi(server.tactus, folder);
});
afterAll(() => api.close());

it('what is held is added, listed, shown with runs, and released', async () => {
  expect(await api.get(holds)).toMatchObject({ status: 200, body: { holds: [] } });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const hold = { target: 'procedure:ask', reason: 'look first', until };
  expect(await api.post(holds, hold)).toMatchObject({ status: 200, body: { holds: [hold] } });
  await api.post(runs, { procedure: 'ask', input: {}, run_id: 'one' });
  const run = await waitUntil(async () => {
    const { body } = await api.get(`${runs}/one`);
    return body['status'] === 'paused' && body;
  });
  expect(run).toMatchObject({ paused: { hold: 'procedure:ask' }, held: [{ ...hold, waiting: 1 }] });
  const target = 'procedure:ask';
  expect(await api.post(`${holds}/release`, { target })).toMatchObject({ status: 200, body: { holds: [] } });
  await waitUntil(async () => (await api.get(`${runs}/one`)).body['status'] === 'waiting_for_human');
});

it('what is no hold is refused', async () => {
  expect(await api.post(holds, { target: 'all', reason: 'x' })).toMatchObject({ body: { code: 'usage' } });
  expect(await api.post(holds, { target: 'queue:a' })).toMatchObject({ status: 400 });
  expect(await api.post(holds, { target: 'queue:a', reason: 'x', until: 'noon' })).toMatchObject({
    status: 400,
  });
  expect(await api.post(`${holds}/release`, { target: 'queue:a' })).toMatchObject({
    body: { code: 'change_refused' },
  });
});
