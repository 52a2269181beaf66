import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import { startProviderStandIn, type ProviderStandIn } from '../../../support/provider-stand-in.js';
import { providersAt } from './providers-at.js';
import { failureOf, idempotencyKey, makeCall, runActivity, type RunOptions } from '../run-activity.js';

let provider: ProviderStandIn;
beforeEach(async () => {
  provider = await startProviderStandIn();
});
afterEach(() => provider.close());

function ask(change: Partial<ModelCall>, options: RunOptions = {}) {
  const env = providersAt(provider.url);
  return runActivity(
    'modelCall',
    { call: makeCall(change), idempotencyKey },
    { ...options, deps: { env, ...options.deps } },
  );
}

const chat = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta }] })}\n\n`;
const begun = {
  type: 'message_start',
  message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 1 } },
};

it.each([
  ['nothing at all', { hang: true }],
  ['a piece of its answer, and nothing more', { events: [chat({ content: 'Hel' })], everyMs: 0 }],
  // Gateways write comments while they wait for a model themselves.
  ['comments of a gateway', { events: Array<string>(100).fill(': waiting\n\n'), everyMs: 20 }],
] as const)('a model that sends %s has failed, and is let go', async (_, answer) => {
  provider.reply(answer);
  const failure = await failureOf(ask({ settings: { idleTimeoutMs: 250, timeoutMs: 60_000 } }));
  expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: false });
  expect(failure.message).toBe('openai/gpt-5-mini: has sent nothing for 0.25 s');
  expect(provider.requests).toHaveLength(1);
  await provider.requests[0]?.left;
});

it.each(['openai/gpt-5-mini', 'anthropic/claude-haiku-4-5', 'google/gemini-2.5-flash', 'xai/grok-4'])(
  '%s is streamed, so that its silence can be heard, and nobody else needs to listen',
  async (model) => {
    provider.reply({ text: 'Hello' });
    expect(await ask({ model, settings: { idleTimeoutMs: 60_000 } })).toMatchObject({ text: 'Hello' });
    const [request] = provider.requests;
    expect(request?.body['stream'] === true || request?.path.includes('streamGenerateContent')).toBe(true);
  },
);

it.each([
  ['text', 'openai/m', chat({ content: 'word ' })],
  ['what it thinks', 'openai/m', chat({ reasoning_content: 'hm ' })],
  ['the arguments of a tool', 'openai/m', chat({ tool_calls: [{ index: 0, function: { arguments: ' ' } }] })],
  ['a sign of life alone', 'anthropic/m', 'event: ping\ndata: {"type":"ping"}\n\n'],
])('one that sends %s is waited for as long as the attempt may take', async (_, model, event) => {
  const first = model.startsWith('anthropic')
    ? `event: message_start\ndata: ${JSON.stringify(begun)}\n\n`
    : chat({ tool_calls: [{ index: 0, id: 'a', function: { name: 'lookup', arguments: '{' } }] });
  provider.reply({ events: [first, ...Array<string>(100).fill(event)], everyMs: 50 });
  // Longer than the silence that is allowed, and shorter than what it sends.
  const failure = await failureOf(ask({ model, settings: { idleTimeoutMs: 1_000, timeoutMs: 2_500 } }));
  expect(failure.message).toBe(`${model}: gave no answer within 2500 ms`);
});

it('0 is no time at all: it is waited for as long as the attempt may take', async () => {
  provider.reply({ hang: true });
  const failure = await failureOf(ask({ settings: { idleTimeoutMs: 0, timeoutMs: 100 } }));
  expect(failure.message).toContain('gave no answer within 100 ms');
  expect(provider.requests[0]?.body).not.toHaveProperty('stream', true);
});
