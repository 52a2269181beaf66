import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exchangeBounds } from '../../../src/egress/bounded-response.js';
import { egressFetch, transport, type LookUp } from '../../../src/egress/egress-fetch.js';
import { gateOf, type EgressPolicy } from '../../../src/egress/egress-policy.js';
import { startEndless, type EndlessServer } from '../../support/endless-server.js';

let server: EndlessServer;
let port: string;
beforeEach(async () => {
  server = await startEndless((path, body) => ({ json: { path, body } }));
  port = new URL(server.url).port;
});
afterEach(() => server.close());

/** A name server that gives each of these answers in turn, and the last one for ever. */
function answering(...answers: string[][]): LookUp {
  let asked = 0;
  return (_host, _options, done) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    done(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

/** As a request does it, but for the bounds of its answer. */
function ask(policy: EgressPolicy, lookUp: LookUp): () => Promise<unknown> {
  const send = transport(gateOf(policy), lookUp);
  return async () => (await send(`http://rebind.example.com:${port}/`)).json();
}

it('a name that leads inside is not connected to', async () => {
  const work = ask({ profile: 'production' }, answering(['127.0.0.1']))();
  await expect(work).rejects.toMatchObject({ cause: { code: 'egress_denied' } });
  expect(server.asked).toEqual([]);
});

it('of several addresses the one that may be asked is connected to', async () => {
  const policy = { profile: 'production', allow: ['*', '127.0.0.1'] } as const;
  const send = ask(policy, answering(['10.0.0.1', '169.254.169.254', '127.0.0.1', '::1']));
  expect(await send()).toMatchObject({ path: '/' });
});

it('a name that leads elsewhere with the next answer is looked at with each connection', async () => {
  const policy: EgressPolicy = { deny: ['127.0.0.2/31'] };
  const send = ask(policy, answering(['127.0.0.1'], ['127.0.0.2']));
  expect(await send()).toMatchObject({ path: '/' });
  // The server hangs up, so that the next request needs another connection.
  const url = new URL(server.url);
  await server.close();
  await expect(send()).rejects.toMatchObject({ cause: { code: 'egress_denied' } });
  server = await startEndless(() => ({ status: 204 }));
  expect(url.port).toBe(port);
});

it('a name that leads nowhere says so', async () => {
  await expect(ask({}, answering([]))()).rejects.toMatchObject({
    cause: { message: 'rebind.example.com has no address' },
  });
  const gone: LookUp = (host, _options, done) =>
    done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []);
  await expect(ask({}, gone)()).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } });
});

it('the name of this machine is looked up, and refused, by the way that all requests take', async () => {
  const send = egressFetch({ egressPolicy: { profile: 'production' } }, exchangeBounds);
  await expect(send(`http://localhost:${port}/`)).rejects.toMatchObject({ code: 'egress_denied' });
  await expect(send(server.url)).rejects.toMatchObject({ code: 'egress_denied' });
  expect(server.asked).toEqual([]);
  const open = egressFetch({ egressPolicy: { deny: ['*.example.com'] } }, exchangeBounds);
  expect(await (await open(`http://localhost:${port}/a`)).json()).toMatchObject({ path: '/a' });
});

it('a redirect to what may not be asked is an answer, and nobody goes there', async () => {
  await server.close();
  server = await startEndless(() => ({ how: 'redirect' }));
  const send = egressFetch({ egressPolicy: {} }, exchangeBounds);
  expect((await send(server.url, { redirect: 'follow' })).status).toBe(302);
  expect(server.asked).toHaveLength(1);
});

it('bodies and headers go out as the platform sends them', async () => {
  const send = egressFetch({}, exchangeBounds);
  const form = new FormData();
  form.set('a', 'ü');
  form.set('file', new Blob(['text']), 'a.txt');
  const bodies: [RequestInit['body'], string][] = [
    ['ü', 'ü'],
    [Buffer.from('bytes'), 'bytes'],
    [new URLSearchParams({ a: 'b c' }), 'a=b+c'],
    [new Blob(['blob']), 'blob'],
    [new Blob(['stream']).stream(), 'stream'],
  ];
  for (const [body, text] of bodies) {
    const response = await send(server.url, {
      method: 'POST',
      body: body ?? null,
      duplex: 'half',
    });
    expect(await response.json()).toEqual({ path: '/', body: text });
    expect(response).toBeInstanceOf(Response);
    expect(response.headers).toBeInstanceOf(Headers);
  }
  const answer = await send(new Request(`${server.url}/r`, { method: 'PUT', body: form }));
  const { body } = (await answer.json()) as { body: string };
  expect(body).toContain('name="a"\r\n\r\nü\r\n');
  expect(body).toContain('filename="a.txt"');
  await send(server.url, { method: 'POST', body: form });
  expect(server.asked.at(-1)?.body).toContain('filename="a.txt"');
});

it('where Node is told to use a proxy, the proxy is asked, and names are looked at still', async () => {
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', ({ url }, socket: Socket) => {
    tunnels.push(url ?? '');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.pipe(connect(Number(port), '127.0.0.1')).pipe(socket);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  vi.stubEnv('no_proxy', '');
  const policy: EgressPolicy = { profile: 'production', deny: ['*.evil.net'] };
  const send = egressFetch({ egressPolicy: policy }, exchangeBounds);
  try {
    expect(await (await send('http://api.example.com/a')).json()).toMatchObject({ path: '/a' });
    for (const url of ['http://a.evil.net/', 'http://10.0.0.1/'])
      await expect(send(url)).rejects.toMatchObject({ code: 'egress_denied' });
    // Of a name nobody here knows the address.
    const closed = egressFetch({ egressPolicy: { allow: ['10.0.0.0/8'] } }, exchangeBounds);
    await expect(closed('http://any.name/')).rejects.toMatchObject({ code: 'egress_denied' });
    expect(tunnels).toEqual(['api.example.com:80']);
  } finally {
    vi.unstubAllEnvs();
    proxy.close();
    proxy.closeAllConnections();
  }
});
