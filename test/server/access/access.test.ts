import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { createServer, type Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessOf, hashOfToken } from '../../../src/server/access/access-of.js';
import { readServerSettings } from '../../../src/server/settings.schema.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { startApi, unindexed, type ApiServer } from '../../support/api-server.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);
const ns = '/namespaces/default';
const token = {
  ann: 'ann-has-a-long-enough-token',
  look: 'looks-on-and-does-nothing-else',
  eve: 'eve-decides-what-is-asked-of-her',
  ops: 'ops-starts-and-ends-all-the-runs',
  other: 'is-of-another-tenant-altogether',
};
const audience = 'tactus';
let issuer: string;
let keys: Server;
let key: CryptoKey;
let foreignKey: CryptoKey;
let api: ApiServer;

const hash = (text: string): string => `sha256:${hashOfToken(text).toString('hex')}`;
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  foreignKey = (await generateKeyPair('ES256')).privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  keys = createServer((asked, answer) => {
    answer.setHeader('content-type', 'application/json');
    const isConfiguration = asked.url === '/.well-known/openid-configuration';
    answer.end(JSON.stringify(isConfiguration ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [jwk] }));
  });
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`;
  const settings = readServerSettings({
    tokens: [
      { name: 'ann', secret: 'ANNS_TOKEN', namespaces: ['default'] },
      { name: 'look', hash: hash(token.look), roles: ['read'], namespaces: ['default'] },
      { name: 'eve', hash: hash(token.eve), roles: ['decide'], namespaces: ['default'] },
      { name: 'ops', hash: hash(token.ops), roles: ['operate'], namespaces: ['default'] },
      { name: 'other', hash: hash(token.other), namespaces: ['tenant-b'] },
    ],
    jwt: {
      ...{ issuer, audience, name: 'email', groups: 'groups', namespaces: 'tenants' },
      roles: { read: ['staff'], decide: ['approvers'] },
    },
  });
  const served = ['default', 'tenant-b'];
  const access = accessOf(settings, { env: { ANNS_TOKEN: token.ann }, served, isEmbedded: false });
  const { tactus } = server;
  const tenantB = server.tactus;
  api = await startApi(tactus, temporaryFolder('api-access'), {
    access,
    namespaces: [
      { name: 'default', tactus, files: null, signingKey: null, ...unindexed },
      { name: 'tenant-b', tactus: tenantB, files: null, signingKey: null, ...unindexed },
    ],
    origins: ['https://desk.example.org'],
  });
});
afterAll(async () => {
  await api.close();
  keys.close();
});

const jwt = (
  claims: JWTPayload,
  {
    with: signer = key,
    until = '5m',
    alg = 'ES256',
  }: { with?: CryptoKey | Uint8Array; until?: string; alg?: string } = {},
) =>
  new SignJWT({ email: 'bob@example.org', groups: ['staff', 'approvers'], tenants: ['default'], ...claims })
    .setProtectedHeader({ alg, kid: 'k1' })
    .setIssuer(claims.iss ?? issuer)
    .setAudience((claims.aud as string | undefined) ?? audience)
    .setExpirationTime(until)
    .sign(signer);

async function ask(run: string, more = ''): Promise<void> {
  await server.tactus.start(
    procedureOf(`return Human.approve({ message = "go on?" ${more} })`),
    {},
    { runId: run },
  );
  await waitUntil(async () => (await server.tactus.attach(run).pending()).length === 1);
}

describe('tokens', () => {
  it('say who decides, and a body can’t name another', async () => {
    await ask('tokens', ', approvers = {"ann"}');
    const path = `${ns}/requests/tokens%2F0/decide`;
    expect((await api.post(path, { value: true })).body).toMatchObject({
      status: 401,
      code: 'unauthenticated',
    });
    expect((await api.post(path, { value: true }, bearer('wrong'))).status).toBe(401);
    expect((await api.post(path, { value: true }, { authorization: token.ann })).status).toBe(401);
    const forged = await api.post(path, { value: true, by: 'bob' }, bearer(token.ann));
    expect(forged.body).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await api.post(path, { value: true, by: 'ann' }, bearer(token.look))).body['code']).toBe(
      'forbidden',
    );
    const decided = await api.post(path, { value: true }, bearer(token.ann));
    expect(decided.body['outcome']).toBe('accepted');
    const { execution_log } = await server.tactus.attach('tokens').log();
    expect(execution_log[0]?.result).toMatchObject({ by: 'ann' });
  });

  it('have roles', async () => {
    expect((await api.get('/me', bearer(token.look))).body).toMatchObject({
      name: 'look',
      roles: ['read'],
      authentication: ['token', 'jwt'],
    });
    expect((await api.get(`${ns}/runs`, bearer(token.look))).status).toBe(200);
    expect((await api.post(`${ns}/runs`, { procedure: 'x' }, bearer(token.look))).status).toBe(403);
    expect((await api.post(`${ns}/runs/tokens/terminate`, {}, bearer(token.look))).status).toBe(403);
  });

  it('are of namespaces, and another one is not there', async () => {
    for (const path of [
      `${ns}/runs`,
      `${ns}/requests/tokens%2F0`,
      `${ns}/events`,
      '/namespaces/nowhere/runs',
    ])
      expect((await api.get(path, bearer(token.other))).body).toMatchObject({
        status: 404,
        code: 'run_not_found',
      });
    expect((await api.get('/me', bearer(token.other))).body['namespaces']).toEqual(['tenant-b']);
  });

  it('can be tried so often and no more', async () => {
    const small = await startApi(server.tactus, temporaryFolder('api-tries'), {
      perMinute: 1_200,
      access: accessOf(readServerSettings({ tokens: [{ name: 'ann', hash: hash(token.ann) }] }), {
        env: {},
        served: ['default'],
        isEmbedded: false,
      }),
    });
    const statuses: number[] = [];
    for (let i = 0; i < 32; i++) statuses.push((await small.get('/me', bearer(`guess-${i}`))).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect((await small.get('/me', bearer('guess'))).headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await small.post('/session', { token: 'guess' })).status).toBe(429);
    // Whoever is behind the same proxy isn't locked out.
    expect((await small.get('/me', bearer(token.ann))).status).toBe(200);
    expect((await small.get('/me')).status).toBe(401);
    await small.close();
  });
});

describe('requests are taken back', () => {
  const back = (run: string, who: string, more: JsonObject = {}) =>
    api.post(`${ns}/requests/${run}%2F0/withdraw`, more, bearer(who));
  const open = async (run: string) => (await server.tactus.attach(run).pending()).length;

  it('by those alone who decide, ask, or operate runs', async () => {
    await ask('for-ann', ', approvers = {"ann"}');
    const { status, body } = await back('for-ann', token.eve);
    expect([status, body['outcome']]).toEqual([403, 'not_allowed']);
    expect((await back('for-ann', token.eve, { by: 'ann' })).body['code']).toBe('forbidden');
    expect((await back('for-ann', token.look)).body['code']).toBe('forbidden');
    expect((await back('for-ann', await jwt({}))).body['outcome']).toBe('not_allowed');
    expect(await open('for-ann')).toBe(1);
    expect((await back('for-ann', token.ann)).body['outcome']).toBe('accepted');

    await ask('by-eve', ', approvers = {"ann"}, requester = "eve"');
    expect((await back('by-eve', token.ann)).body['outcome']).toBe('not_allowed');
    expect((await back('by-eve', token.eve)).body['outcome']).toBe('accepted');
    expect((await back('by-eve', token.eve)).body['outcome']).toMatch(/duplicate|late/);

    await ask('for-ann-again', ', approvers = {"ann"}, quorum = 1');
    expect((await back('for-ann-again', token.ops)).body['outcome']).toBe('accepted');
    await ask('for-all');
    expect((await back('for-all', token.eve)).body['outcome']).toBe('accepted');
  });

  it('by nobody whom they were handed on from, and not before they are asked', async () => {
    await ask('handed-on', ', approvers = {"eve"}');
    const path = `${ns}/requests/handed-on%2F0/delegate`;
    expect((await api.post(path, { to: 'ann' }, bearer(token.eve))).body['outcome']).toBe('accepted');
    expect((await back('handed-on', token.eve)).body['outcome']).toBe('not_allowed');
    expect(await open('handed-on')).toBe(1);
    for (const more of [{ early: true }, { digest: 'x' }, {}]) {
      const early = await api.post(`${ns}/requests/handed-on%2F1/withdraw`, more, bearer(token.eve));
      expect([early.status, early.body['outcome']]).toEqual([404, 'unknown']);
    }
    await server.tactus.attach('handed-on').terminate();
  });
});

describe('JWTs', () => {
  it('of the issuer hold, with name, groups and namespaces', async () => {
    expect((await api.get('/me', bearer(await jwt({})))).body).toMatchObject({
      ...{ name: 'bob@example.org', groups: ['staff', 'approvers'], roles: ['read', 'decide'] },
      namespaces: ['default'],
    });
    expect((await api.get('/me', bearer(await jwt({ groups: 'staff' })))).body['roles']).toEqual(['read']);
    expect((await api.get('/me', bearer(await jwt({ tenants: [] })))).body['namespaces']).toEqual([]);
    await ask('jwts');
    const decided = await api.post(`${ns}/requests/jwts%2F0/decide`, { value: false }, bearer(await jwt({})));
    expect(decided.body['outcome']).toBe('accepted');
    expect((await server.tactus.attach('jwts').log()).execution_log[0]?.result).toMatchObject({
      by: 'bob@example.org',
    });
  });

  it('that are forged, expired or meant for others don’t', async () => {
    const secret = new TextEncoder().encode('x'.repeat(64));
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ iss: issuer, aud: audience, email: 'bob', exp: 9e9 })).toString('base64url')}.`;
    const tampered = (await jwt({})).replace(
      /\.[^.]+\./,
      `.${Buffer.from(JSON.stringify({ iss: issuer, aud: audience, email: 'eve', exp: 9e9 })).toString('base64url')}.`,
    );
    const refused = {
      'another key': await jwt({}, { with: foreignKey }),
      'a shared secret': await jwt({}, { with: secret, alg: 'HS256' }),
      'no key': none,
      tampered,
      expired: await jwt({}, { until: '-2m' }),
      'another audience': await jwt({ aud: 'others' }),
      'another issuer': await jwt({ iss: 'https://elsewhere.example.org' }),
      'no name': await jwt({ email: undefined }),
      'an odd name': await jwt({ email: 7 }),
      'an address that nobody has proved': await jwt({ email_verified: false }),
      nonsense: 'a.b.c',
    };
    for (const [what, text] of Object.entries(refused))
      expect([what, (await api.get('/me', bearer(text))).body['code']]).toEqual([what, 'unauthenticated']);
  });
});

describe('names and groups of JWTs', () => {
  const me = async (claims: JWTPayload, at = api) => (await at.get('/me', bearer(await jwt(claims)))).body;
  const own = (jwtSettings: JsonObject) =>
    startApi(server.tactus, temporaryFolder('api-jwt'), {
      access: accessOf(readServerSettings({ jwt: { issuer, audience, name: 'email', ...jwtSettings } }), {
        ...{ env: {}, served: ['default'], isEmbedded: false },
      }),
    });

  it('without roles in the configuration look, and do nothing else', async () => {
    const open = await own({});
    expect((await me({ groups: ['ops'] }, open))['roles']).toEqual(['read']);
    const headers = bearer(await jwt({}));
    for (const path of [`${ns}/runs`, `${ns}/runs/x/cancel`, `${ns}/requests/x%2F0/decide`])
      expect((await open.post(path, {}, headers)).body['code']).toBe('forbidden');
    await open.close();
  });

  it('that are a text are one group, whatever it holds', async () => {
    expect((await me({ groups: 'staff approvers' }))['roles']).toEqual([]);
    expect((await me({ groups: 'staff approvers' }))['groups']).toEqual(['staff approvers']);
    expect((await me({ groups: ['staff approvers', 'staff'] }))['roles']).toEqual(['read']);
    expect((await me({ groups: '' }))['groups']).toEqual([]);
    expect((await me({ groups: { staff: true } }))['groups']).toEqual([]);
    expect((await me({ tenants: 'default tenant-b' }))['namespaces']).toEqual([]);
    const scoped = await own({ groups: 'scope', roles: { read: ['runs:read'] } });
    expect((await me({ scope: 'openid runs:read' }, scoped))['roles']).toEqual(['read']);
    await scoped.close();
  });

  it('that have a token here, or that nobody can tell from another, are refused', async () => {
    for (const email of [
      'ann',
      'ANN',
      'ａｎｎ',
      'look',
      'bob\nadmin',
      ' bob',
      'bob ',
      'bo\u200bb',
      'bob\u202e',
      'bob\u2028',
    ])
      expect([email, (await me({ email }))['code']]).toEqual([email, 'unauthenticated']);
    expect((await me({ email: 'Ann Müller' }))['name']).toBe('Ann Müller');
    expect((await me({ email: 'ann' }))['detail']).toContain('server.tokens');
  });
});

describe('sessions', () => {
  it('are begun by a token, used by a cookie from the own page alone, and ended', async () => {
    const begun = await api.post('/session', { token: token.ann });
    expect(begun.body).toMatchObject({ name: 'ann' });
    const set = begun.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/HttpOnly/);
    expect(set).toMatch(/SameSite=Strict/);
    const cookie = set.split(';')[0] ?? '';
    await ask('session');
    const path = `${ns}/requests/session%2F0/decide`;
    expect((await api.get('/me', { cookie })).body['name']).toBe('ann');
    const decide = (headers: Record<string, string>) =>
      api.post(path, { value: true }, { cookie, ...headers });
    expect((await decide({})).body['code']).toBe('forbidden');
    expect((await decide({ origin: 'https://evil.example.org' })).body['code']).toBe('forbidden');
    expect((await decide({ origin: 'null' })).body['code']).toBe('forbidden');
    expect((await decide({ 'sec-fetch-site': 'cross-site' })).body['code']).toBe('forbidden');
    expect((await decide({ origin: api.url })).body['outcome']).toBe('accepted');
    const end = await fetch(`${api.url}/api/v1/session`, {
      method: 'DELETE',
      headers: { cookie, origin: api.url },
    });
    expect(end.status).toBe(204);
    expect((await api.get('/me', { cookie })).status).toBe(401);
    expect((await api.post('/session', { token: 'wrong' })).status).toBe(401);
  });
});

describe('pages elsewhere', () => {
  it('read nothing, unless their origin is named', async () => {
    const open = await startApi(server.tactus, temporaryFolder('api-cors'));
    expect(
      (await open.get('/me', { origin: 'https://desk.example.org' })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBe(null);
    expect(
      (await open.post(`${ns}/runs`, { procedure: 'x' }, { origin: 'https://evil.example.org' })).body[
        'code'
      ],
    ).toBe('forbidden');
    await open.close();
    const allowed = await api.get('/me', { origin: 'https://desk.example.org', ...bearer(token.ann) });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://desk.example.org');
    expect(
      (await api.get('/me', { origin: 'https://evil.example.org' })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBe(null);
    const preflight = await fetch(`${api.url}/api/v1${ns}/runs`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://desk.example.org',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  });

  it('don’t pass for ours by a name that leads here', async () => {
    expect(await statusFor('evil.example.org')).toBe(421);
    expect(await statusFor(`localhost:${api.port}`)).toBe(200);
    expect(await statusFor('[::1]:80')).toBe(200);
  });
});

it('sends headers that keep pages from doing harm', async () => {
  const { headers } = await api.get('/me', bearer(token.ann));
  expect(headers.get('content-security-policy')).toMatch(
    /default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
  );
  expect(headers.get('content-security-policy')).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
});

it('takes so many requests of one name and no more', async () => {
  const small = await startApi(server.tactus, temporaryFolder('api-rate'), { perMinute: 3 });
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await small.get('/me')).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  await small.close();
});

function statusFor(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...bearer(token.ann) };
    request({ host: '127.0.0.1', port: api.port, path: '/api/v1/me', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
