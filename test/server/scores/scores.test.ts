import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { accessOf, hashOfToken } from '../../../src/server/access/access-of.js';
import type { Role } from '../../../src/server/access/identity.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);
const ns = '/namespaces/default';
let api: ApiServer;

beforeAll(async () => {
  const folder = temporaryFolder('scores-api');
  writeFileSync(
    join(folder, 'vary.tac'),
    'function main() return Experiment.variant("tone", {"plain", "warm"}) end',
  );
  api = await startApi(server.tactus, folder);
});
afterAll(() => api.close());

it('runs are scored, read and compared over HTTP', async () => {
  await api.post(`${ns}/runs`, { procedure: 'vary', run_id: 'vary/1' });
  await server.tactus.attach('vary/1').result();
  const at = `${ns}/runs/vary%2F1/scores`;
  const given = await api.post(at, { name: 'quality', value: 0.75, by: 'ann', comment: 'good' });
  const score = { name: 'quality', value: 0.75, by: 'ann', comment: 'good' };
  expect(given).toMatchObject({ status: 200, body: { run_id: 'vary/1', scores: [score], earlier: [] } });
  expect((await api.get(at)).body).toEqual(given.body);
  await waitUntil(async () => (await api.get(`${ns}/compare?procedure=vary&by=variant`)).body['runs'] === 1);
  expect((await api.get(`${ns}/compare?procedure=vary&by=variant`)).body).toMatchObject({
    groups: [{ runs: 1, scores: { quality: { count: 1, mean: 0.75 } } }],
  });
  for (const wrong of [
    { name: 'a b', value: 1 },
    { name: 'q' },
    { name: 'q', value: 'x' },
    { name: 'q', value: 1, at: 'x' },
  ])
    expect((await api.post(at, wrong)).status).toBe(400);
  expect((await api.post(`${ns}/runs/nobody/scores`, { name: 'q', value: 1 })).status).toBe(404);
  expect((await api.get(`${ns}/compare?procedure=vary&by=author`)).status).toBe(400);
  expect((await api.get(`${ns}/compare?procedure=vary&by=version&limit=10001`)).status).toBe(400);
});

describe('with tokens', () => {
  const token = {
    look: 'looks-on-and-does-nothing-else',
    eve: 'eve-decides-all-that-is-asked',
    ops: 'ops-starts-all-the-runs-here',
  };
  let guarded: ApiServer;
  beforeAll(async () => {
    const of = (name: keyof typeof token, role: Role) => ({
      ...{ name, hash: `sha256:${hashOfToken(token[name]).toString('hex')}`, roles: [role] },
    });
    const tokens = [of('look', 'read'), of('eve', 'decide'), of('ops', 'operate')];
    const settings = readServerSettings({ tokens });
    const access = accessOf(settings, { env: {}, served: ['default'], isEmbedded: false });
    guarded = await startApi(server.tactus, temporaryFolder('scores-roles'), { access });
    await server.tactus.start(procedureOf('return 1'), {}, { runId: 'scored' });
    await server.tactus.attach('scored').result();
  });
  afterAll(() => guarded.close());
  const score = (who: keyof typeof token, body: JsonObject) =>
    guarded.post(
      `${ns}/runs/scored/scores`,
      { name: 'quality', value: 1, ...body },
      { authorization: `Bearer ${token[who]}` },
    );

  it('who may decide scores runs, in their own name alone', async () => {
    expect(await score('eve', {})).toMatchObject({ status: 200, body: { scores: [{ by: 'eve' }] } });
    expect(await score('eve', { by: 'eve' })).toMatchObject({ status: 200 });
    expect(await score('eve', { by: 'ann' })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    for (const who of ['look', 'ops'] as const)
      expect(await score(who, {})).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('decide') as string },
      });
  });
});
