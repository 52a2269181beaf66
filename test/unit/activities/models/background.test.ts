import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import { startProviderStandIn, type ProviderStandIn } from '../../../support/provider-stand-in.js';
import { providersAt } from './providers-at.js';
import { failureOf, idempotencyKey, makeCall, runActivity, type RunOptions } from '../run-activity.js';

let provider: ProviderStandIn;
beforeEach(async () => {
  provider = await startProviderStandIn();
});
afterEach(() => provider.close());

const settings = { modelType: 'responses', isBackground: true } as const;

interface Asked {
  work: Promise<Awaited<ReturnType<typeof ask>>>;
  /** Details of the heartbeats, in order. */
  beats: unknown[];
}

function ask(change: Partial<ModelCall> = {}, options: RunOptions = {}) {
  const env = providersAt(provider.url);
  return runActivity(
    'modelCall',
    { call: makeCall({ settings, ...change }), idempotencyKey },
    { ...options, deps: { env, ...options.deps } },
  );
}

function listened(change: Partial<ModelCall> = {}, options: RunOptions = {}): Asked {
  const beats: unknown[] = [];
  const work = ask(change, {
    ...options,
    onStart: (environment) => {
      environment.on('heartbeat', (details) => beats.push(details));
      options.onStart?.(environment);
    },
  });
  return { work, beats };
}

/** What was asked, without the body: `POST`, `GET resp_bg_1`, `POST resp_bg_1/cancel`. */
const asked = (): string[] =>
  provider.requests.map(({ method, path }) =>
    [method, /responses\/?([^?]*)/.exec(path)?.[1]].join(' ').trim(),
  );

/** An answer that isn't there before it was looked at so often. */
const after = (looks: number, text: string) => {
  let seen = 0;
  return { inBackground: { text, usage: { input: 12, output: 7 } }, isReady: () => ++seen > looks };
};

const found = (response: string): RunOptions => ({ info: { attempt: 2, heartbeatDetails: { response } } });

describe.each(['openai/gpt-5', 'azure/deployed'])('a response in the background of %s', (model) => {
  it('is begun once, looked at until it is there, and read as if it had been the answer', async () => {
    provider.reply(after(1, 'At last'));
    const { work, beats } = listened({ model });
    expect(await work).toMatchObject({
      ...{ text: 'At last', finishReason: 'stop', usage: { input_tokens: 12, output_tokens: 7 } },
    });
    expect(asked()).toEqual(['POST', 'GET resp_bg_1', 'GET resp_bg_1']);
    expect(provider.requests[0]?.body).toMatchObject({ background: true, store: true });
    expect(provider.requests[0]?.headers['idempotency-key']).toBe(idempotencyKey);
    const key = model.startsWith('azure') ? 'api-key' : 'authorization';
    for (const { headers } of provider.requests)
      expect(headers[key]).toBe(provider.requests[0]?.headers[key]);
    // Until it is in the run's history, whoever tries next is to read it again.
    expect(beats.at(-1)).toEqual({ response: 'resp_bg_1' });
  });
});

describe('the attempt after one that died', () => {
  it('goes on with the response that it finds', async () => {
    provider.reply(after(0, 'Mine'));
    await ask();
    const { work, beats } = listened({}, found('resp_bg_1'));
    expect((await work).text).toBe('Mine');
    expect(asked()).toEqual(['POST', 'GET resp_bg_1', 'GET resp_bg_1']);
    // Its first heartbeat takes nothing of what it found away.
    expect(beats[0]).toEqual({ response: 'resp_bg_1' });
  });

  it('does not lose its id while it is told what was said before', async () => {
    const beats: unknown[] = [];
    const prefix = { digest: 'of what this worker has never seen', count: 2 };
    const input = { call: makeCall({ settings }), idempotencyKey, prefix, position: '3.0' };
    const work = runActivity('continuedModelCall', input, {
      ...found('resp_bg_1'),
      onStart: (environment) => environment.on('heartbeat', (details) => beats.push(details)),
    });
    // No run answers here.
    await failureOf(work);
    expect(beats).toEqual([{ response: 'resp_bg_1' }]);
  });

  it.each([
    ['nobody knows any more', null],
    ['has failed', { failed: { code: 'server_error', message: 'out of order' } }],
    ['was cancelled', { ended: 'cancelled' }],
    ['has expired', { ended: 'expired' }],
  ])('asks anew where the response %s', async (_, inBackground) => {
    if (inBackground !== null) {
      provider.reply({ inBackground, isReady: () => true });
      await failureOf(ask());
      provider.requests.length = 0;
    }
    provider.reply(after(0, 'Another'));
    expect((await ask({}, found('resp_bg_1'))).text).toBe('Another');
    expect(asked().slice(0, 2)).toEqual(['GET resp_bg_1', 'POST']);
  });

  it('asks for the same one again where the provider has no word of it just now', async () => {
    const env = providersAt(provider.url);
    const fetchBroken: typeof fetch = (_, init) =>
      Promise.resolve(
        init?.method === 'GET'
          ? Response.json({ error: { message: 'busy' } }, { status: 503 })
          : Response.json({ id: 'resp_bg_9', status: 'queued' }),
      );
    const { work, beats } = listened({}, { deps: { env, fetch: fetchBroken } });
    expect(await failureOf(work)).toMatchObject({
      nonRetryable: false,
      message: expect.stringContaining('answered 503: busy') as string,
    });
    expect(beats.at(-1)).toEqual({ response: 'resp_bg_9' });
  });
});

describe('an end without an answer', () => {
  it.each([
    ['server_error', false, 'openai/gpt-5-mini: failed while it answered: out of order'],
    ['rate_limit_exceeded', false, 'openai/gpt-5-mini: failed while it answered: out of order'],
    ['invalid_prompt', true, 'openai/gpt-5-mini: failed while it answered: out of order'],
  ])('by the error %s is tried again as it would be else', async (code, nonRetryable, message) => {
    provider.reply({ inBackground: { failed: { code, message: 'out of order' } }, isReady: () => true });
    expect(await failureOf(ask())).toMatchObject({ type: 'model_call_failed', nonRetryable, message });
  });

  it.each(['cancelled', 'expired'])('is told where it was %s', async (ended) => {
    provider.reply({ inBackground: { ended }, isReady: () => true });
    expect(await failureOf(ask())).toMatchObject({
      nonRetryable: false,
      message: `openai/gpt-5-mini: ended its response without an answer: ${ended}`,
    });
  });

  it('is told where the provider has lost what it had begun', async () => {
    const lost: typeof fetch = (_, init) =>
      Promise.resolve(
        init?.method === 'GET'
          ? Response.json({ error: { message: 'no such response' } }, { status: 404 })
          : Response.json({ id: 'resp_bg_9', status: 'queued' }),
      );
    const { work, beats } = listened({}, { deps: { env: providersAt(provider.url), fetch: lost } });
    expect(await failureOf(work)).toMatchObject({
      nonRetryable: false,
      message: 'openai/gpt-5-mini: has lost the response resp_bg_9 that it had begun',
    });
    expect(beats.at(-1)).toEqual({});
  });
});

it('what was cut off at its limit of tokens is an answer, and says so', async () => {
  provider.reply({ inBackground: { text: 'Once upon a', finishReason: 'length' }, isReady: () => true });
  expect(await ask()).toMatchObject({ text: 'Once upon a', finishReason: 'length' });
});

describe('an answer that is of no use', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const spent = expect.objectContaining({ input_tokens: 12, output_tokens: 7 }) as object;

  it('is paid for, and not read again', async () => {
    provider.reply(after(0, 'no JSON'));
    const { work, beats } = listened({ outputSchema });
    expect(await failureOf(work)).toMatchObject({ nonRetryable: false, details: [{ spent }] });
    expect(beats.at(-1)).toEqual({ spent });
  });

  it('is paid for where it ends the call, too', async () => {
    const cut = { text: '{"n":', finishReason: 'length', usage: { input: 12, output: 7 } };
    provider.reply({ inBackground: cut, isReady: () => true });
    expect(await failureOf(ask({ outputSchema }))).toMatchObject({
      nonRetryable: true,
      details: [{ spent }],
    });
  });
});

it('who looks on is told the answer when it is there', async () => {
  const told: string[] = [];
  provider.reply(after(0, 'Whole'));
  await ask({}, { deps: { onText: ({ text }) => told.push(text) } });
  expect(told).toEqual(['Whole']);
  expect(provider.requests[0]?.body).not.toHaveProperty('stream', true);
});

it('silence is no fault of what is made in the background', async () => {
  provider.reply(after(1, 'At last'));
  expect(await ask({ settings: { ...settings, idleTimeoutMs: 100 } })).toMatchObject({ text: 'At last' });
});

it.each(['xai/grok-4', 'anthropic/claude-haiku-4-5'])('%s has none', async (model) => {
  expect(await failureOf(ask({ model }))).toMatchObject({ type: 'unknown_model', nonRetryable: true });
  expect(provider.requests).toEqual([]);
});

describe('when it is given up', () => {
  const never = { inBackground: { text: 'never' }, isReady: () => false };

  it('for its time, the provider is told so, and the next attempt asks anew', async () => {
    provider.reply(never);
    const failure = await failureOf(ask({ settings: { ...settings, timeoutMs: 200 } }));
    expect(failure.message).toBe('openai/gpt-5-mini: gave no answer within 200 ms');
    expect(asked()).toEqual(['POST', 'POST resp_bg_1/cancel']);
    provider.reply(after(0, 'Another'));
    expect((await ask({}, found('resp_bg_1'))).text).toBe('Another');
  });

  it.each([
    ['the run is cancelled', { cancelRequested: true }, true],
    ['the worker shuts down', { workerShutdown: true }, false],
    ['the activity is paused', { paused: true }, false],
    ['the attempt is over, and the run may be not', { notFound: true }, false],
  ])('because %s', async (_, details, isCancelled) => {
    provider.reply(never);
    const { ActivityCancellationDetails } = await import('@temporalio/common');
    const { work } = listened(
      {},
      {
        onStart: (environment) =>
          void provider.arrived(2).then(() => {
            environment.cancel('CANCELLED', new ActivityCancellationDetails(details));
          }),
      },
    );
    await expect(work).rejects.toBeInstanceOf(CancelledFailure);
    expect(asked().includes('POST resp_bg_1/cancel')).toBe(isCancelled);
  });
});
