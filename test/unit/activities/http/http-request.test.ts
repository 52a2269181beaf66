import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/contract/environment.js';
import type { HttpRequest } from '../../../../src/contract/http/http-request.js';
import {
  startProviderStandIn,
  type Answer,
  type ProviderStandIn,
} from '../../../support/provider-stand-in.js';
import { failureOf, idempotencyKey, logged, runActivity, textOf, type RunOptions } from '../run-activity.js';

const secret = 'canary/of+requests=42';

let other: ProviderStandIn;
beforeEach(async () => {
  other = await startProviderStandIn();
});
afterEach(() => other.close());

function send(change: Partial<HttpRequest> = {}, env: Environment = {}, options: RunOptions = {}) {
  const request: HttpRequest = {
    ...{ method: 'GET', url: `${other.url}/orders?page=2`, headers: {}, body: null, timeoutMs: 5_000 },
    ...change,
  };
  const tries = { attempts: 3, answers: 1, patienceMs: 60_000, isSaid: true };
  const input = { request, name: 'GET host/orders', idempotencyKey, tries };
  return runActivity('httpRequest', input, { ...options, deps: { env, ...options.deps } });
}

describe('a request', () => {
  it('gets through with its headers, secrets, body and an idempotency key, and gives the whole answer', async () => {
    other.reply({ status: 201, headers: { 'X-Trace': 'a7' }, body: { id: 7 } });
    const headers = {
      'content-type': 'application/json',
      'x-version': 2,
      authorization: { secret: 'ORDER_TOKEN', prefix: 'Bearer ' },
    };
    const answer = await send({ method: 'PATCH', headers, body: '{"a":"ü"}' }, { ORDER_TOKEN: secret });
    expect(answer).toMatchObject({
      status: 201,
      headers: { 'x-trace': 'a7', 'content-type': 'application/json' },
      body: '{"id":7}',
    });
    expect(other.requests).toMatchObject([
      {
        method: 'PATCH',
        path: '/orders?page=2',
        body: { a: 'ü' },
        headers: {
          'content-type': 'application/json',
          'x-version': '2',
          authorization: `Bearer ${secret}`,
          'idempotency-key': idempotencyKey,
        },
      },
    ]);
  });

  it('keeps an idempotency key of its own', async () => {
    other.reply({ json: 1 });
    await send({ headers: { 'idempotency-key': 'mine' } });
    expect(other.requests[0]?.headers['idempotency-key']).toBe('mine');
  });

  it.each([400, 401, 404, 409])('that is answered %d has an answer', async (status) => {
    other.reply({ status, body: 'no' });
    expect(await send()).toMatchObject({ status, body: 'no' });
  });

  it('follows no redirect', async () => {
    other.reply({ status: 302, headers: { location: 'http://127.0.0.1:1/' } });
    expect(await send()).toMatchObject({ status: 302, headers: { location: 'http://127.0.0.1:1/' } });
  });

  it('may be answered with a web page', async () => {
    other.reply({ status: 200, headers: { 'content-type': 'text/html' }, body: '<p>hi</p>' });
    expect(await send()).toMatchObject({ status: 200, body: '<p>hi</p>' });
  });

  it('keeps all cookies', async () => {
    const twoCookies = new Response('', {
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
    });
    const answer = await send({}, {}, { deps: { fetch: () => Promise.resolve(twoCookies) } });
    expect(answer.headers).toEqual(expect.objectContaining({ 'set-cookie': 'a=1, b=2' }));
  });
});

describe('a request without an answer is sorted', () => {
  const outcomes: [string, Answer, boolean, object][] = [
    ['429', { status: 429, headers: { 'retry-after': '3' } }, false, { nextRetryDelay: 3_000 }],
    ['500', { status: 500, body: 'oh' }, false, { details: [{ status: 500 }] }],
    ['503', { status: 503 }, false, { details: [{ status: 503 }] }],
    ['a broken connection', { reset: true }, false, {}],
  ];
  it.each(outcomes)('%s', async (_, answer, nonRetryable, parts) => {
    other.reply(answer);
    expect(await failureOf(send())).toMatchObject({ type: 'http_failed', nonRetryable, ...parts });
  });

  it('no answer in time', async () => {
    other.reply({ hang: true });
    const failure = await failureOf(send({ timeoutMs: 50 }));
    expect(failure).toMatchObject({
      type: 'http_failed',
      nonRetryable: false,
      message: 'GET host/orders: gave no answer within 50 ms',
    });
  });

  it('an answer that is no text, which would be none the next time either', async () => {
    const image = new Response(new Uint8Array([0xff, 0xd8]));
    const failure = await failureOf(send({}, {}, { deps: { fetch: () => Promise.resolve(image) } }));
    expect(failure).toMatchObject({ type: 'http_failed', nonRetryable: true });
  });

  it('an answer that is too large to be recorded', async () => {
    other.reply({ status: 200, body: 'x'.repeat(2_000_000) });
    expect(await failureOf(send())).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
  });

  it.each(['nonsense', 'file:///etc/passwd', `http://user:${secret}@127.0.0.1/`])(
    'the URL %s',
    async (url) => {
      const failure = await failureOf(send({ url }));
      expect(failure).toMatchObject({ type: 'http_failed', nonRetryable: true });
      expect(textOf(failure)).not.toContain(secret);
    },
  );

  it('a secret that is not there', async () => {
    expect(await failureOf(send({ headers: { a: { secret: 'NOWHERE' } } }))).toMatchObject({
      type: 'missing_key',
      nonRetryable: false,
    });
    expect(other.requests).toEqual([]);
  });
});

describe('a secret that is echoed', () => {
  const echoes: [string, Answer][] = [
    ['the body', { json: { you: { sent: [`Bearer ${secret}`], [secret]: 1 } } }],
    ['a header', { status: 404, headers: { 'x-echo': secret } }],
    ['a failure', { status: 500, body: { headers: { 'x-key': secret } } }],
  ];
  it.each(echoes)('comes back neither in %s nor in a log', async (_, answer) => {
    logged.length = 0;
    other.reply(answer);
    const headers = { 'x-any': { secret: 'UNREMARKABLE_NAME' } };
    const outcome = await send({ headers }, { UNREMARKABLE_NAME: secret }).then(JSON.stringify, textOf);
    expect(other.requests[0]?.headers['x-any']).toBe(secret);
    for (const text of [outcome, ...logged]) expect(text).not.toContain(secret);
    expect(outcome).toContain('[redacted]');
  });
});
