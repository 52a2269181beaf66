import { createAdaptorServer } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signLink } from '../../../src/authority/signed-links.js';
import { accessOf } from '../../../src/server/access/access-of.js';
import { bodyTime } from '../../../src/server/guards/guard-bodies.js';
import { problemOf } from '../../../src/server/http/problem.js';
import type { ServerEnv } from '../../../src/server/server-env.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import { webhooksOf } from '../../../src/server/events/webhooks/webhooks.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { startApi, unindexed, type ApiServer } from '../../support/api-server.js';
import { linkKeys } from '../../support/link-keys.js';
import { openBody, type OpenBody } from '../../support/open-body.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const env = {
  ANN: 'the-token-of-ann-who-may-all',
  LOOK: 'the-token-of-one-who-looks-on',
  BOB: 'the-token-of-bob-who-decides',
  HOOK: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};
const ns = '/api/v1/namespaces/default';
const { key, links } = linkKeys();
let server: TestServer;
let api: ApiServer;

beforeAll(async () => {
  const folder = temporaryFolder('bodies');
  const served = ['default'];
  const settings = readServerSettings({
    tokens: [
      { name: 'ann', secret: 'ANN' },
      { name: 'look', secret: 'LOOK', roles: ['read'] },
      { name: 'bob', secret: 'BOB', roles: ['read', 'decide'] },
    ],
    webhooks: { pay: { secret: 'HOOK', run: '{/run}', event: 'paid' } },
  });
  server = await startDevServer();
  const files = new FilePayloadStore(folder);
  api = await startApi(server.tactus, folder, {
    access: accessOf(settings, { env, served, isEmbedded: false }),
    namespaces: [{ name: 'default', tactus: server.tactus, files, signingKey: null, ...unindexed }],
    webhooks: webhooksOf(settings, { env, served }),
    ...{ links, uploadBytes: 3_000_000 },
  });
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

const as = (who: keyof typeof env): Record<string, string> => ({ authorization: `Bearer ${env[who]}` });
const json = { 'content-type': 'application/json' };

async function statusOf(path: string, options?: Parameters<typeof openBody>[1]): Promise<number> {
  const open = openBody(`${api.url}${path}`, options);
  const { status } = await open.answered;
  open.leave();
  return status;
}

interface Described {
  paths: Record<string, Record<string, { operationId: string; requestBody?: object }>>;
}

/** All that takes a body, as the API describes itself. */
async function takingBodies(): Promise<{ method: string; path: string; name: string }[]> {
  const { body } = await api.get('/openapi.json');
  const { paths } = body as unknown as Described;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method, { operationId: name }]) => ({
        method: method.toUpperCase(),
        path: template.replace('{namespace}', 'default').replaceAll(/\{\w+\}/g, 'x'),
        name,
      })),
  );
}

describe('a body is read of those alone who', () => {
  it('say who they are', async () => {
    const all = await takingBodies();
    expect(all.length).toBeGreaterThan(9);
    for (const { method, path, name } of all) {
      // What is shown there is in the body.
      if (name === 'beginSession') continue;
      const query = /files$/.test(path) ? '?name=a' : '';
      for (const headers of [
        json,
        { ...json, authorization: 'Bearer none-that-is-known' },
        { ...json, authorization: 'Link none' },
      ])
        expect([name, await statusOf(`${path}${query}`, { method, headers })]).toEqual([
          name,
          name === 'receiveWebhook' ? 404 : expect.toBeOneOf([401, 429]),
        ]);
    }
    for (const path of [
      '/api/v1/health',
      '/api/v1/openapi.json',
      '/api/v1/nothing',
      '/',
      '/runs/a',
      '/hooks',
    ])
      expect([path, await statusOf(path, { headers: json })]).toEqual([
        path,
        expect.toBeOneOf([401, 404, 405, 429]),
      ]);
  });

  it('may send it', async () => {
    for (const { method, path, name } of await takingBodies()) {
      // Who reads runs may have what they hold decoded.
      if (!path.startsWith(ns) || name === 'decodePayloads') continue;
      const headers = { ...json, ...as('LOOK') };
      expect([name, await statusOf(`${path}?name=a`, { method, headers })]).toEqual([name, 403]);
      const elsewhere = path.replace('default', 'elsewhere');
      expect([name, await statusOf(elsewhere, { method, headers: { ...json, ...as('ANN') } })]).toEqual([
        name,
        404,
      ]);
    }
    for (const path of ['/runs', '/runs/x/cancel', '/runs/x/terminate', '/runs/x/events'])
      expect([path, await statusOf(`${ns}${path}`, { headers: { ...json, ...as('BOB') } })]).toEqual([
        path,
        403,
      ]);
  });

  it('have a link to a request that takes a file', async () => {
    const request = {
      ...{ id: 'gone/0', run_id: 'gone', digest: 'x', created_at: new Date().toISOString() },
      deadline: null,
    };
    const link = signLink(request, { approver: 'ann', namespace: 'default' }, { key, validMs: 60_000 });
    const headers = { authorization: `Link ${link ?? ''}` };
    expect(await statusOf('/api/v1/link/files?name=a', { headers })).toBe(403);
  });

  it('sign as the sender of the webhook does, as far as the headers tell', async () => {
    const stamp = { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
    for (const headers of [
      {},
      stamp,
      { ...stamp, 'webhook-signature': 'none' },
      { ...stamp, 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
    ])
      expect(await statusOf('/hooks/pay', { headers })).toBe(401);
  });
});

describe('bodies that don’t end', () => {
  const upload = (who: keyof typeof env): OpenBody =>
    openBody(`${api.url}${ns}/files?name=a`, { headers: as(who) });

  it('take so much memory of one sender, and no more', async () => {
    const held = Array.from({ length: 4 }, () => upload('ANN'));
    const refused = await waitUntil(async () => {
      const open = upload('ANN');
      const answer = await Promise.race([
        open.answered,
        new Promise<null>((done) => setTimeout(done, 500, null)),
      ]);
      if (answer === null) held.push(open);
      return answer;
    });
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'rate_limited' });
    // Others have room of their own, and what is small fits in.
    const bobs = upload('BOB');
    bobs.end();
    expect((await bobs.answered).status).toBe(201);
    for (const each of held) each.leave();
    const next = await waitUntil(async () => {
      const open = upload('ANN');
      open.end();
      const answer = await open.answered;
      return answer.status === 201 ? answer : null;
    });
    expect(next.status).toBe(201);
  });

  it('of who has proved nothing yet are given up', async () => {
    const app = new OpenAPIHono<ServerEnv>();
    app.onError((error) => problemOf(error, () => undefined));
    app.use(bodyTime(50));
    app.post('/', async (c) => c.text(await c.req.text()));
    const patient = createAdaptorServer({ fetch: app.fetch }).listen(0, '127.0.0.1');
    await once(patient, 'listening');
    const url = `http://127.0.0.1:${(patient.address() as AddressInfo).port}/`;
    const slow = openBody(url);
    expect((await slow.answered).status).toBe(408);
    const quick = openBody(url);
    quick.end();
    expect(await quick.answered).toEqual({ status: 200, body: '{"x":"' });
    patient.close();
  });
});

it('a script that is handed in is none when it is read', async () => {
  const sent = await fetch(`${api.url}${ns}/files?name=a.js`, {
    ...{ method: 'POST', body: 'alert(1)' },
    headers: { ...as('ANN'), 'content-type': 'text/javascript' },
  });
  const { value } = (await sent.json()) as { value: { url: string; type: string } };
  expect(value.type).toBe('application/octet-stream');
  const { headers } = await fetch(value.url, { headers: as('ANN') });
  expect(headers.get('content-type')).toBe('application/octet-stream');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  expect(headers.get('content-disposition')).toMatch(/^attachment/);
});
