import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/contract/environment.js';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import {
  startProviderStandIn,
  type Answer,
  type ProviderStandIn,
} from '../../../support/provider-stand-in.js';
import { recordedAnswer } from '../../../support/recorded-answer.js';
import { providersAt } from './providers-at.js';
import { serve, serveForEver, urlOf } from './serve-text.js';
import {
  failureOf,
  idempotencyKey,
  makeCall,
  runActivity,
  textOf,
  type RunOptions,
} from '../run-activity.js';

let provider: ProviderStandIn;
beforeEach(async () => {
  provider = await startProviderStandIn();
});
afterEach(() => provider.close());

function ask(change: Partial<ModelCall> = {}, options: RunOptions & { env?: Environment } = {}) {
  const env = { ...providersAt(provider.url), ...options.env };
  return runActivity(
    'modelCall',
    { call: makeCall(change), idempotencyKey },
    { ...options, deps: { env, ...options.deps } },
  );
}

const models = ['openai/gpt-5-mini', 'anthropic/claude-haiku-4-5'];
const streamed = { deps: { onText: () => undefined } };

const everyModel = [
  ...models,
  ...[
    'google/gemini-2.5-flash',
    'bedrock/model-1',
    'azure/deployment-1',
    'mistral/small',
    'groq/llama',
    'xai/grok-4',
  ],
];

describe.each(everyModel)('statuses of %s', (model) => {
  const body = { error: { message: 'the reason', type: 'some_error' }, type: 'error' };
  it.each([400, 402, 403, 404, 413, 422, 301])('%i is not worth another attempt', async (status) => {
    provider.reply({ status, body });
    const failure = await failureOf(ask({ model }));
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: true, details: [{ status }] });
    expect(failure.message).toContain(`${model}: answered ${status}`);
  });

  it.each([408, 409, 429, 500, 502, 503, 529])('%i is', async (status) => {
    for (const options of [{}, streamed]) {
      provider.reply({ status, body });
      const failure = await failureOf(ask({ model }, options));
      expect(failure).toMatchObject({
        type: 'model_call_failed',
        nonRetryable: false,
        details: [{ status }],
      });
      expect(failure.nextRetryDelay).toBeUndefined();
    }
    expect(provider.requests).toHaveLength(2);
  });
});

describe('what providers say', () => {
  const given: [string, string, object, RegExp][] = [
    [
      'openai-401',
      models[0] ?? '',
      { nonRetryable: true },
      /answered 401: the key in OPENAI_API_KEY was refused$/,
    ],
    [
      'openai-429-rate-limit',
      models[0] ?? '',
      { nonRetryable: false, nextRetryDelay: 1536 },
      /Rate limit reached/,
    ],
    ['openai-429-no-money', models[0] ?? '', { nonRetryable: true }, /exceeded your current quota/],
    ['openai-400-content-filter', models[0] ?? '', { nonRetryable: true }, /content management policy/],
    ['openai-400-schema', models[0] ?? '', { nonRetryable: true }, /Invalid schema/],
    ['openai-404-model', models[0] ?? '', { nonRetryable: true }, /does not exist/],
    ['anthropic-529', models[1] ?? '', { nonRetryable: false }, /Overloaded/],
    ['proxy-200-html', models[0] ?? '', { nonRetryable: false }, /answered with a web page \(text\/html\)/],
    ['proxy-200-html', models[1] ?? '', { nonRetryable: false }, /answered with a web page \(text\/html\)/],
  ];
  it.each(given)('%s to %s', async (name, model, expected, message) => {
    for (const options of [{}, streamed]) {
      provider.reply(recordedAnswer(name));
      const failure = await failureOf(ask({ model }, options));
      expect(failure).toMatchObject({ type: 'model_call_failed', ...expected });
      expect(failure.message).toMatch(message);
      // Providers show the first and last letters of a key that they refuse.
      expect(textOf(failure)).not.toMatch(/sk-canar|cafe\b/);
    }
  });
});

describe('when to try again', () => {
  const given: [Record<string, string>, number | undefined][] = [
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1250', 'retry-after': '9' }, 1_250],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '99999999' }, undefined],
  ];
  it.each(given)('%o', async (headers, delay) => {
    provider.reply({ status: 429, headers, body: { error: { message: 'slow down' } } });
    expect((await failureOf(ask())).nextRetryDelay).toBe(delay);
  });

  it('takes a date', async () => {
    provider.reply({ status: 503, headers: { 'retry-after': new Date(Date.now() + 30_000).toUTCString() } });
    const delay = (await failureOf(ask())).nextRetryDelay as number;
    expect(delay).toBeGreaterThan(25_000);
    expect(delay).toBeLessThanOrEqual(30_000);
  });

  it('does as x-should-retry says', async () => {
    const body = { error: { message: 'no', type: 'invalid_request_error' } };
    provider.reply(
      { status: 500, headers: { 'x-should-retry': 'false' } },
      { status: 400, headers: { 'x-should-retry': 'true' } },
      { status: 400, headers: { 'x-should-retry': 'true' }, body },
    );
    expect((await failureOf(ask())).nonRetryable).toBe(true);
    expect((await failureOf(ask())).nonRetryable).toBe(false);
    expect((await failureOf(ask())).nonRetryable).toBe(false);
  });
});

describe('broken answers', () => {
  const text = 'Grüße aus Köln, die Lieferung kommt morgen früh an.';
  const given: [string, Answer, RunOptions, RegExp][] = [
    [
      'no choices',
      { json: { id: 'x', choices: [] } },
      {},
      /gave a broken answer: Response did not contain any choices$/,
    ],
    [
      'another format',
      { json: { hello: 'world' } },
      {},
      /answered 200, but not in the provider's format: \{"hello":"world"\}/,
    ],
    ['nothing', { status: 200, body: '' }, {}, /answered 200, but not in the provider's format: nothing/],
    ['a closed connection', { reset: true }, {}, /can't be reached \(/],
    ['half an answer', { cut: { text }, afterBytes: 180 }, {}, /broke off its answer|can't be reached/],
    ['a stream that breaks off', { cut: { text }, afterBytes: 700 }, streamed, /broke off its answer/],
    [
      'a stream that stops mid-way',
      { cut: { text }, afterBytes: 700, tidily: true },
      streamed,
      /broke off its answer|broken answer/,
    ],
    [
      'a stream without anything',
      { cut: { text }, afterBytes: 0, tidily: true },
      streamed,
      /broke off its answer|broken answer/,
    ],
  ];
  describe.each(models)('of %s', (model) => {
    it.each(given)('%s', async (_, answer, options, message) => {
      provider.reply(answer);
      const failure = await failureOf(ask({ model }, options));
      expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: false });
      if (model === models[0]) expect(failure.message).toMatch(message);
      expect(failure.message.length).toBeGreaterThan(model.length + 10);
    });
  });

  it('a stream cut at any byte is never taken for a whole answer', async () => {
    for (let afterBytes = 0; afterBytes < 1_000; afterBytes += 37) {
      provider.reply({ cut: { text }, afterBytes, tidily: true });
      const failure = await failureOf(ask({}, streamed));
      expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: false });
    }
  });

  it('an error in the middle of a stream', async () => {
    const server = await serve(
      'data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\ndata: {"error":{"message":"The server had an error","type":"server_error"}}\n\n',
    );
    const failure = await failureOf(ask({}, { ...streamed, env: { OPENAI_BASE_URL: urlOf(server) } }));
    server.close();
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: false });
    expect(failure.message).toContain('failed while it answered: The server had an error');
  });

  it('a long structured answer in thousands of pieces takes its time once, not once for each piece', async () => {
    const pieces = ['{"items":["', ...Array.from({ length: 20_000 }, () => 'word","'), 'end"]}'];
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const server = await serve([...pieces.map((content) => chunk({ content })), chunk({}, 'stop')].join(''));
    const started = Date.now();
    const outputSchema = {
      type: 'object',
      properties: { items: { type: 'array', items: { type: 'string' } } },
    };
    const { text } = await ask({ outputSchema }, { ...streamed, env: { OPENAI_BASE_URL: urlOf(server) } });
    server.close();
    expect(text).toBe(pieces.join(''));
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it.each([
    ['responses-200-failed', {}, false],
    ['responses-stream-failed', streamed, false],
    ['responses-stream-no-money', streamed, true],
  ])(
    'an answer by the Responses API that says itself that it failed: %s',
    async (name, options, nonRetryable) => {
      provider.reply(recordedAnswer(name));
      const failure = await failureOf(ask({ settings: { modelType: 'responses' } }, options));
      expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable });
      expect(failure.message).toMatch(/: The server had an error|: You exceeded your current quota/);
    },
  );

  it('a gateway that tells of an error with status 200', async () => {
    for (const [code, nonRetryable] of [
      [502, false],
      [402, true],
    ] as const) {
      provider.reply({ json: { error: { code, message: 'of the provider behind it' } } });
      const failure = await failureOf(ask());
      expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable });
      expect(failure.message).toContain('failed while it answered: of the provider behind it');
    }
  });

  it('nobody there', async () => {
    const server = await serve('');
    const url = urlOf(server);
    await new Promise((resolve) => server.close(resolve));
    const failure = await failureOf(ask({}, { env: { OPENAI_BASE_URL: url } }));
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: false });
    expect(failure.message).toContain("can't be reached (ECONNREFUSED)");
  });

  it('a base URL that is none', async () => {
    const failure = await failureOf(ask({}, { env: { OPENAI_BASE_URL: 'nonsense' } }));
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: true });
  });
});

describe('what a model call refuses itself', () => {
  it.each([false, true])(
    'an answer too large to be recorded, so that it is not bought again (streamed: %s)',
    async (stream) => {
      provider.reply({ text: 'x'.repeat(3_000_000) });
      const failure = await failureOf(ask({}, stream ? streamed : {}));
      expect(failure).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
      // It is paid for; what a stream would have cost comes at its end.
      const [{ spent }] = failure.details as [{ spent?: object }];
      expect(spent).toEqual(stream ? undefined : expect.objectContaining({ input_tokens: 10 }));
    },
  );

  const call = { index: 0, id: 'a', function: { name: 'lookup', arguments: 'x'.repeat(50_000) } };
  it.each([
    ['text', { content: 'x'.repeat(50_000) }],
    ['arguments', { tool_calls: [call] }],
  ])('a stream of %s without an end, and hangs up', async (_, delta) => {
    const { server, hungUp } = await serveForEver(delta);
    const failure = await failureOf(ask({}, { ...streamed, env: { OPENAI_BASE_URL: urlOf(server) } }));
    expect(failure).toMatchObject({ type: 'payload_too_large', nonRetryable: true });
    await hungUp;
    server.close();
  });

  it('arguments nested deeper than can be written', async () => {
    const depth = 20_000;
    const parameters = { type: 'object' };
    provider.reply({
      toolCalls: [{ name: 'deep', arguments: `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}` }],
    });
    const failure = await failureOf(ask({ tools: [{ name: 'deep', description: '', parameters }] }));
    expect(failure.nonRetryable).toBe(true);
  });

  it('a model without a key, and an unknown one', async () => {
    const env = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };
    expect(await failureOf(ask({}, { env }))).toMatchObject({
      type: 'missing_key',
      nonRetryable: false,
      details: [{ variable: 'OPENAI_API_KEY' }],
    });
    expect(await failureOf(ask({ model: 'mystery/9' }))).toMatchObject({
      type: 'unknown_model',
      nonRetryable: true,
    });
    expect(await failureOf(ask({ model: 'local' }))).toMatchObject({
      type: 'unknown_model',
      nonRetryable: false,
    });
    expect(provider.requests).toHaveLength(0);
  });

  it('no messages, or a negative limit of tokens', async () => {
    expect((await failureOf(ask({ messages: [] }))).nonRetryable).toBe(true);
    expect((await failureOf(ask({ settings: { maxTokens: -1 } }))).nonRetryable).toBe(true);
  });

  it('to follow a redirect, which would take the key elsewhere', async () => {
    const elsewhere = await startProviderStandIn();
    provider.reply({ status: 307, headers: { location: `${elsewhere.url}/v1/messages` } });
    const failure = await failureOf(ask({ model: models[1] ?? '' }));
    await elsewhere.close();
    expect(failure).toMatchObject({ nonRetryable: true, details: [{ status: 307 }] });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('time and cancellation', () => {
  it.each([{}, streamed])(
    'gives up after the time for one attempt, and can be tried again (%o)',
    async (options) => {
      provider.reply({ hang: true });
      const failure = await failureOf(ask({ settings: { timeoutMs: 150 } }, options));
      expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: false });
      expect(failure.message).toBe('openai/gpt-5-mini: gave no answer within 150 ms');
    },
  );

  it('gives up a stream that never ends', async () => {
    provider.reply({ slowly: { text: 'word '.repeat(200) }, everyMs: 20 });
    const failure = await failureOf(ask({ settings: { timeoutMs: 200 } }, streamed));
    expect(failure.message).toContain('gave no answer within 200 ms');
  });

  it.each([{}, streamed])(
    'ends at once when it is cancelled, and lets go of the provider (%o)',
    async (options) => {
      provider.reply({ hang: true });
      const outcome = ask(
        {},
        { ...options, onStart: (environment) => void provider.arrived(1).then(() => environment.cancel()) },
      );
      await expect(outcome).rejects.toBeInstanceOf(CancelledFailure);
    },
  );

  it('heartbeats at once and while it waits', async () => {
    let beats = 0;
    provider.reply({ slowly: { text: 'word '.repeat(10) }, everyMs: 60 });
    await ask(
      {},
      {
        ...streamed,
        info: { heartbeatTimeoutMs: 300 },
        onStart: (environment) => environment.on('heartbeat', () => beats++),
      },
    );
    expect(beats).toBeGreaterThanOrEqual(4);
    const before = beats;
    await sleep(250);
    expect(beats).toBe(before);
  });
});
