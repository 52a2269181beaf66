import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessOf } from '../../../src/server/access/access-of.js';
import type { Identity } from '../../../src/server/access/identity.js';
import { Sessions } from '../../../src/server/access/authenticate.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import type { ServerOptions } from '../../../src/server/server.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { openEvents, type OpenEvents } from '../../support/event-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const env = { READER: 'a-token-that-only-looks-at-things', BOB: 'the-token-of-bob-who-has-one-page' };
const folder = temporaryFolder('one-of-many');
let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

function start(options: Partial<ServerOptions> = {}): Promise<ApiServer> {
  const settings = readServerSettings({
    tokens: [
      { name: 'reader', secret: 'READER', roles: ['read'] },
      { name: 'bob', secret: 'BOB' },
    ],
  });
  const access = accessOf(settings, { env, served: ['default'], isEmbedded: false });
  return startApi(server.tactus, folder, { access, ...options });
}

const bearer = (who: keyof typeof env) => ({ authorization: `Bearer ${env[who]}` });

async function cookieOf(api: ApiServer, who: keyof typeof env): Promise<string> {
  const { headers } = await api.post('/session', { token: env[who] });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

describe('sessions', () => {
  it('of one person end none of another’s', async () => {
    const api = await start();
    const bobs = await cookieOf(api, 'BOB');
    const first = await cookieOf(api, 'READER');
    const second = await cookieOf(api, 'READER');
    for (let i = 0; i < 30; i++) {
      await cookieOf(api, 'READER');
      // The first is used all the time, the second isn't.
      expect((await api.get('/me', { cookie: first })).body['name']).toBe('reader');
    }
    expect((await api.get('/me', { cookie: second })).status).toBe(401);
    expect((await api.get('/me', { cookie: bobs })).body['name']).toBe('bob');
    await api.close();
  });

  it('begin so often in a minute and no more', async () => {
    const api = await start({ perMinute: 80 });
    const statuses: number[] = [];
    for (let i = 0; i < 82; i++) statuses.push((await api.post('/session', { token: env.READER })).status);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect((await api.post('/session', { token: env.BOB })).status).toBe(200);
    await api.close();
  });

  it('make room by those that have ended, and then by the one that was used the longest time ago', () => {
    const sessions = new Sessions({ each: 2, inAll: 3 });
    const who = (name: string, until = Infinity): Identity => ({
      ...{ name, mode: 'token', until, groups: [], roles: ['read'], namespaces: [] },
    });
    const over = sessions.begin(who('a', Date.now() - 1));
    const [b, c, d] = ['b', 'c', 'd'].map((name) => sessions.begin(who(name)).id) as [string, string, string];
    expect(sessions.find(over.id)).toBe(null);
    expect(sessions.find(b)).toMatchObject({ name: 'b' });
    sessions.begin(who('e'));
    expect([b, c, d].map((id) => sessions.find(id)?.name)).toEqual(['b', undefined, 'd']);
    sessions.end(b);
    expect(sessions.find(b)).toBe(null);
  });

  it('have a cookie for https alone where people come by https', async () => {
    for (const [publicUrl, headers, isSecure] of [
      ['https://runs.example.org', {}, true],
      [null, {}, false],
      ['http://runs.example.org', {}, false],
      [null, { 'x-forwarded-proto': 'https' }, true],
    ] as const) {
      const api = await start({ publicUrl });
      const begun = await api.post('/session', { token: env.BOB }, headers);
      expect(begun.headers.get('set-cookie')?.includes('; Secure')).toBe(isSecure);
      const end = await fetch(`${api.url}/api/v1/session`, { method: 'DELETE', headers });
      expect(end.headers.get('set-cookie')?.includes('; Secure')).toBe(isSecure);
      await api.close();
    }
  });
});

it('streams of one person are a part of all', async () => {
  const api = await start({ mostStreams: 30 });
  const path = '/namespaces/default/events';
  const open: OpenEvents[] = [];
  const of = (who: keyof typeof env) => openEvents(`${api.url}/api/v1${path}`, bearer(who));
  for (let i = 0; i < 3; i++) open.push(await of('READER'));
  expect((await api.get(path, bearer('READER'))).body).toMatchObject({ status: 429, code: 'rate_limited' });
  const cookie = await cookieOf(api, 'READER');
  expect((await api.get(path, { cookie })).status).toBe(429);
  open.push(await of('BOB'));
  open[0]?.close();
  open.push(await waitUntil(() => of('READER')));
  for (const each of open) each.close();
  await api.close();
});

describe('with names by which alone the server is asked', () => {
  const ask = (api: ApiServer, path: string, host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port: api.port, path, headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it('a probe of health asks by address, and nothing else does', async () => {
    const api = await start({ host: '0.0.0.0', hosts: ['runs.example.org'] });
    for (const host of ['10.1.2.3:8700', '10.1.2.3', '[fd00::7]:8700', 'runs.example.org']) {
      expect(await ask(api, '/api/v1/health', host)).toBe(200);
      expect(await ask(api, '/api/v1/me', host)).toBe(host === 'runs.example.org' ? 401 : 421);
    }
    for (const host of ['evil.example.org', 'localhost', '10.1.2.3.evil.example.org'])
      expect(await ask(api, '/api/v1/health', host)).toBe(421);
    expect(await ask(api, '/api/v1/health/', '10.1.2.3')).toBe(421);
    await api.close();
  });
});
