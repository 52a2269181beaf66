import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/contract/environment.js';
import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import {
  startProviderStandIn,
  type Answer,
  type ProviderStandIn,
} from '../../../support/provider-stand-in.js';
import { rawArguments } from '../../../support/provider-stand-in/raw-arguments.js';
import { recordedAnswer } from '../../../support/recorded-answer.js';
import { failureOf, idempotencyKey, logged, runActivity, textOf, type RunOptions } from '../run-activity.js';

const secret = 'canary/of+predictions=42';

let endpoint: ProviderStandIn;
beforeEach(async () => {
  endpoint = await startProviderStandIn();
});
afterEach(() => endpoint.close());

interface Question {
  input?: JsonValue;
  headers?: JsonObject;
  timeoutMs?: number;
  url?: string;
  env?: Environment;
}

function predict(
  { input = null, headers = {}, timeoutMs = 5_000, url, env = {} }: Question = {},
  options: RunOptions = {},
) {
  const backend = {
    type: 'http' as const,
    endpoint: url ?? `${endpoint.url}/sentiment?v=2`,
    timeoutMs,
    headers,
  };
  return runActivity(
    'predict',
    { prediction: { model: 'sentiment', backend, input }, idempotencyKey },
    { ...options, deps: { env } },
  );
}

describe('a mock model', () => {
  it.each([null, 'positive', { label: 'spam', score: 0.5 }])('gives its value (%o)', async (value) => {
    const prediction = { model: 'm', backend: { type: 'mock' as const, value }, input: { text: 'x' } };
    expect(await runActivity('predict', { prediction, idempotencyKey })).toEqual({
      output: value,
      cost: null,
    });
  });

  it('with a value too large to be recorded fails once', async () => {
    const prediction = {
      model: 'm',
      backend: { type: 'mock' as const, value: 'x'.repeat(2_000_000) },
      input: null,
    };
    expect(await failureOf(runActivity('predict', { prediction, idempotencyKey }))).toMatchObject({
      type: 'payload_too_large',
      nonRetryable: true,
    });
  });
});

describe('an http model', () => {
  it('is asked by its method, gives the part of the answer that is named, and costs what is said', async () => {
    endpoint.reply({ json: { predictions: [{ label: 'spam' }] } });
    const backend = {
      ...{ type: 'http' as const, endpoint: `${endpoint.url}/spam`, timeoutMs: 5_000, headers: {} },
      ...{ method: 'PUT' as const, response: 'predictions.0.label', cost: 0.002 },
    };
    const prediction = { model: 'spam', backend, input: { text: 'x' } };
    expect(await runActivity('predict', { prediction, idempotencyKey })).toEqual({
      output: 'spam',
      cost: 0.002,
    });
    expect(endpoint.requests).toMatchObject([{ method: 'PUT', path: '/spam' }]);
    endpoint.reply({ json: { predictions: [] } });
    const lost = { ...prediction, backend: { ...backend, response: 'label' } };
    expect(await failureOf(runActivity('predict', { prediction: lost, idempotencyKey }))).toMatchObject({
      ...{ type: 'predict_failed', nonRetryable: true },
      message: expect.stringContaining('the answer has no "label"') as string,
    });
  });

  it('gets the input as JSON with headers, secrets and the idempotency key, and gives the JSON that it answers', async () => {
    endpoint.reply({ json: { label: 'positive', scores: [0.9, 0.1] } });
    const headers = {
      'X-Team': 'support',
      'X-Version': 2,
      'X-Key': { secret: 'PREDICT_KEY' },
      Authorization: { secret: 'PREDICT_KEY', prefix: 'Bearer ' },
    };
    const result = await predict({ input: { text: 'Schön!' }, headers, env: { PREDICT_KEY: secret } });
    expect(result).toEqual({ output: { label: 'positive', scores: [0.9, 0.1] }, cost: null });
    expect(endpoint.requests).toMatchObject([
      {
        method: 'POST',
        path: '/sentiment?v=2',
        body: { text: 'Schön!' },
        headers: {
          'content-type': 'application/json',
          'x-team': 'support',
          'x-version': '2',
          'x-key': secret,
          authorization: `Bearer ${secret}`,
          'idempotency-key': idempotencyKey,
        },
      },
    ]);
  });

  const answers: [JsonValue][] = [[null], [true], [0], ['text'], [[]], [{}]];
  it.each(answers)('may answer %o', async (json) => {
    endpoint.reply({ json });
    expect((await predict()).output).toEqual(json);
  });

  it('keeps the digits of integers past 2^53 in what it answers', async () => {
    endpoint.reply({ json: rawArguments('{"ids": [9007199254740993, 7]}') });
    expect(await predict()).toMatchObject({ output: { ids: ['9007199254740993', 7] } });
  });

  it('is not asked without its secret, whose variable the failure names', async () => {
    const failure = await failureOf(predict({ headers: { 'X-Key': { secret: 'PREDICT_KEY' } } }));
    expect(failure).toMatchObject({
      type: 'missing_key',
      nonRetryable: false,
      details: [{ variable: 'PREDICT_KEY' }],
    });
    expect(failure.message).toContain('PREDICT_KEY');
    expect(endpoint.requests).toHaveLength(0);
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'finds no secret %s in what every object has',
    async (name) => {
      expect((await failureOf(predict({ headers: { 'X-Key': { secret: name } } }))).type).toBe('missing_key');
    },
  );

  const lasting: [string, Answer, RegExp][] = [
    ['400', { status: 400, body: { detail: 'no text' } }, /answered 400: \{"detail":"no text"\}/],
    ['401', { status: 401, body: `bad key ${secret.slice(0, 12)}` }, /answered 401$/],
    ['404', { status: 404 }, /answered 404$/],
    ['422', { status: 422 }, /answered 422/],
    ['a redirect', { status: 302, headers: { location: 'http://example.com/' } }, /answered 302/],
  ];
  it.each(lasting)('that answers %s is not asked again', async (_, answer, message) => {
    endpoint.reply(answer);
    const failure = await failureOf(predict());
    expect(failure).toMatchObject({ type: 'predict_failed', nonRetryable: true });
    expect(failure.message).toMatch(message);
  });

  const passing: [string, Answer, RegExp][] = [
    ['500', { status: 500, body: 'x'.repeat(5_000) }, /answered 500: x+…$/],
    ['429', { status: 429, headers: { 'retry-after': '3' } }, /answered 429/],
    ['a web page', recordedAnswer('proxy-200-html'), /web page/],
    ['text', { status: 200, body: 'positive' }, /text that is not JSON/],
    ['nothing', { status: 200, body: '' }, /answered with nothing/],
    ['with a closed connection', { reset: true }, /can't be reached/],
  ];
  it.each(passing)('that answers %s may be asked again', async (name, answer, message) => {
    endpoint.reply(answer);
    const failure = await failureOf(predict());
    expect(failure).toMatchObject({
      type: 'predict_failed',
      nonRetryable: false,
      nextRetryDelay: name === '429' ? 3_000 : undefined,
    });
    expect(failure.message).toMatch(message);
    expect(failure.message.length).toBeLessThan(700);
  });

  it.each([2_000_000, 20_000_000])('with an answer of %i bytes fails once', async (size) => {
    endpoint.reply({ json: 'x'.repeat(size) });
    expect(await failureOf(predict())).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
  });

  it('with an answer far too large is not listened to until its end', async () => {
    let poured = 0;
    const pour: typeof fetch = () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          poured += 65_536;
          if (poured > 100_000_000) controller.close();
          else controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
    };
    const backend = { type: 'http' as const, endpoint: endpoint.url, timeoutMs: 5_000, headers: {} };
    const prediction = { model: 'sentiment', backend, input: null };
    const outcome = runActivity('predict', { prediction, idempotencyKey }, { deps: { fetch: pour } });
    expect(await failureOf(outcome)).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
    expect(poured).toBeLessThan(5_000_000);
  });

  it('gives up after its time', async () => {
    endpoint.reply({ hang: true });
    const failure = await failureOf(predict({ timeoutMs: 100 }));
    expect(failure).toMatchObject({
      type: 'predict_failed',
      nonRetryable: false,
      message: 'Model sentiment: gave no answer within 100 ms',
    });
  });

  it('ends when it is cancelled', async () => {
    endpoint.reply({ hang: true });
    const outcome = predict(
      {},
      { onStart: (environment) => void endpoint.arrived(1).then(() => environment.cancel()) },
    );
    await expect(outcome).rejects.toBeInstanceOf(CancelledFailure);
  });

  it('heartbeats', async () => {
    let beats = 0;
    endpoint.reply({ json: 1 });
    await predict({}, { onStart: (environment) => environment.on('heartbeat', () => beats++) });
    expect(beats).toBeGreaterThanOrEqual(1);
  });

  it('does not heartbeat as a local activity', async () => {
    let beats = 0;
    endpoint.reply({ json: 1 });
    const onStart: RunOptions['onStart'] = (environment) => environment.on('heartbeat', () => beats++);
    await predict({}, { info: { isLocal: true }, onStart });
    expect(beats).toBe(0);
  });

  it.each(['nonsense', 'file:///etc/passwd', `http://user:${secret}@127.0.0.1/`])(
    'is not looked for at %s',
    async (url) => {
      const failure = await failureOf(predict({ url }));
      expect(failure).toMatchObject({ type: 'predict_failed', nonRetryable: true });
      expect(textOf(failure)).not.toContain(secret);
    },
  );

  const echoes: [string, Answer][] = [
    ['its answer', { json: { you: { sent: [`Bearer ${secret}`], [secret]: 1 } } }],
    ['a failure', { status: 500, body: { headers: { 'x-key': secret } } }],
  ];
  it.each(echoes)('that echoes the secret brings it back neither in %s nor in a log', async (_, answer) => {
    logged.length = 0;
    endpoint.reply(answer);
    const headers = { 'X-Any': { secret: 'UNREMARKABLE_NAME' } };
    const outcome = await predict({ headers, env: { UNREMARKABLE_NAME: secret } }).then(
      JSON.stringify,
      textOf,
    );
    expect(endpoint.requests[0]?.headers['x-any']).toBe(secret);
    for (const text of [outcome, ...logged]) expect(text).not.toContain(secret);
    expect(outcome).toContain('[redacted]');
  });

  it('does not quote a secret that is no header', async () => {
    const failure = await failureOf(
      predict({ headers: { 'X-Any': { secret: 'NAME' } }, env: { NAME: `${secret}\nmore-of-it` } }),
    );
    expect(failure).toMatchObject({ type: 'predict_failed', nonRetryable: true });
    expect(textOf(failure)).not.toMatch(/canary|more-of-it/);
  });
});
