import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import { startProviderStandIn, type ProviderStandIn } from '../../../support/provider-stand-in.js';
import {
  canary,
  failureOf,
  idempotencyKey,
  logged,
  makeCall,
  runActivity,
  type RunOptions,
} from '../run-activity.js';
import { providersAt } from './providers-at.js';

let provider: ProviderStandIn;
beforeEach(async () => {
  provider = await startProviderStandIn();
});
afterEach(() => provider.close());

const tool = {
  name: 'lookup',
  description: 'Looks an order up',
  parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
};

function ask(change: Partial<ModelCall> = {}, options: RunOptions = {}) {
  const env = providersAt(provider.url);
  return runActivity(
    'modelCall',
    { call: makeCall(change), idempotencyKey },
    { ...options, deps: { env, ...options.deps } },
  );
}

/** The same behaviour is wanted of all protocols, at once and streamed. */
const ways = [
  { model: 'openai/gpt-5-mini' },
  { model: 'anthropic/claude-haiku-4-5' },
  { model: 'google/gemini-2.5-flash', namesItself: false },
  { model: 'bedrock/anthropic.claude-haiku-4-5-20251001-v1:0', namesItself: false },
  { model: 'azure/my-deployment', isPriced: false },
  { model: 'mistral/mistral-small-latest', filtersContent: false },
  { model: 'groq/llama-3.3-70b-versatile' },
  { model: 'xai/grok-4' },
  { model: 'ollama/llama3:8b', isPriced: false },
].flatMap(({ model, isPriced = true, filtersContent = true, namesItself = true }) => [
  { way: model, model, isPriced, filtersContent, namesItself, stream: false },
  { way: `${model}, streamed`, model, isPriced, filtersContent, namesItself, stream: true },
]);
const listening = (stream: boolean): RunOptions => (stream ? { deps: { onText: () => undefined } } : {});

describe.each(ways)('a model call ($way)', ({ model, stream, isPriced, filtersContent, namesItself }) => {
  it('gives text, usage, the reason of its end and the model', async () => {
    provider.reply({ text: 'Good morning — grüß Gott', usage: { input: 12, output: 7 }, model: 'that-one' });
    expect(await ask({ model }, listening(stream))).toEqual({
      text: 'Good morning — grüß Gott',
      toolCalls: [],
      finishReason: 'stop',
      usage: {
        ...{ input_tokens: 12, output_tokens: 7 },
        ...(isPriced
          ? { input_usd: expect.any(Number) as number, output_usd: expect.any(Number) as number }
          : {}),
      },
      // Two of them don't say who answered.
      model: namesItself ? `${model.split('/')[0] ?? ''}/that-one` : model,
    });
    expect(provider.requests).toHaveLength(1);
  });

  it('asks once and performs no tool when the model calls several', async () => {
    provider.reply({
      text: 'Let me see.',
      toolCalls: [
        { id: 'a', name: 'lookup', arguments: '{"id":7}' },
        { id: 'b', name: 'lookup', arguments: '{"id":8}' },
      ],
    });
    const result = await ask({ model, tools: [tool] }, listening(stream));
    expect(result).toMatchObject({
      text: 'Let me see.',
      finishReason: 'tool_calls',
      toolCalls: [
        { id: 'a', name: 'lookup', arguments: { id: 7 } },
        { id: 'b', name: 'lookup', arguments: { id: 8 } },
      ],
    });
    expect(provider.requests).toHaveLength(1);
  });

  it('says when the answer was cut off at the limit of tokens', async () => {
    provider.reply({ text: 'Once upon a', finishReason: 'length' });
    expect(await ask({ model, settings: { maxTokens: 3 } }, listening(stream))).toMatchObject({
      text: 'Once upon a',
      finishReason: 'length',
    });
  });

  it.each([true, false])(
    'an answer that was cut off before it began is none, streamed: %s',
    async (streams) => {
      provider.reply({ text: '', finishReason: 'length' });
      const failure = await failureOf(
        ask({ model, settings: { maxTokens: 3 } }, streams ? listening(stream) : {}),
      );
      expect(failure).toMatchObject({
        type: 'model_call_failed',
        nonRetryable: true,
        message: expect.stringContaining('used up its limit of tokens before it said anything') as string,
      });
    },
  );

  it.runIf(filtersContent)('gives a refusal of the content filter as a result', async () => {
    provider.reply({ finishReason: 'content_filter', text: '' });
    expect((await ask({ model }, listening(stream))).finishReason).toBe('content_filter');
  });

  it('takes an empty answer', async () => {
    provider.reply({ text: '' });
    expect(await ask({ model }, listening(stream))).toMatchObject({
      text: '',
      toolCalls: [],
      finishReason: 'stop',
    });
  });

  it('sends the idempotency key, and the same one at the next attempt', async () => {
    provider.reply({ text: 'one' }, { text: 'two' });
    await ask({ model }, listening(stream));
    await ask({ model }, { ...listening(stream), info: { attempt: 2 } });
    expect(provider.requests.map((request) => request.headers['idempotency-key'])).toEqual([
      idempotencyKey,
      idempotencyKey,
    ]);
  });

  it('makes ids of tool calls distinct that repeat each other, or one before, and takes none for another', async () => {
    const calls = [1, 2, 3].map((id) => ({ id: 'same', name: 'lookup', arguments: JSON.stringify({ id }) }));
    provider.reply({ toolCalls: calls });
    const before = { id: 'same', name: 'lookup', arguments: { id: 0 } };
    const { toolCalls } = await ask(
      {
        ...{ model, tools: [tool] },
        messages: [
          { role: 'user', content: 'Where are they?' },
          { role: 'assistant', content: '', toolCalls: [before] },
          { role: 'tool', toolCallId: 'same', name: 'lookup', content: 'sent' },
        ],
      },
      listening(stream),
    );
    expect(toolCalls.map((call) => call.arguments)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(new Set([before, ...toolCalls].map(({ id }) => id)).size).toBe(4);
  });
});

describe('arguments of tool calls', () => {
  const given: [string, string, object][] = [
    ['text that is no JSON', '{"id": 7', { arguments: null, invalid: '{"id": 7' }],
    ['JSON with text after it', '{"id": 7} done', { arguments: null, invalid: '{"id": 7} done' }],
    ['nothing', '', { arguments: {} }],
    ['JSON that the tool will refuse', '{"id":"seven"}', { arguments: { id: 'seven' } }],
    ['a member twice', '{"id":1,"id":2}', { arguments: { id: 2 } }],
  ];
  it.each(given)('%s', async (_, text, expected) => {
    for (const deps of [{}, { onText: () => undefined }]) {
      provider.reply({ toolCalls: [{ id: 'a', name: 'lookup', arguments: text }] });
      const { toolCalls } = await ask({ tools: [tool] }, { deps });
      expect(toolCalls).toEqual([{ id: 'a', name: 'lookup', ...expected }]);
    }
  });

  it('keeps the call of a tool that does not exist', async () => {
    provider.reply({ toolCalls: [{ id: 'a', name: 'constructor', arguments: '{"x":1}' }] });
    expect((await ask({ tools: [tool] })).toolCalls).toEqual([
      { id: 'a', name: 'constructor', arguments: { x: 1 } },
    ]);
  });

  it('takes a hundred calls at once', async () => {
    provider.reply({
      toolCalls: Array.from({ length: 100 }, (_, i) => ({
        id: `c${i}`,
        name: 'lookup',
        arguments: `{"id":${i}}`,
      })),
    });
    expect((await ask({ tools: [tool] })).toolCalls.map((call) => call.arguments)).toEqual(
      Array.from({ length: 100 }, (_, id) => ({ id })),
    );
  });
});

describe('the request', () => {
  it('carries system text, conversation, tools and settings, and no empty list of tools', async () => {
    provider.reply({ text: 'ok' }, { text: 'ok' });
    await ask({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'Where is order 7?' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [
            { id: 'a', name: 'lookup', arguments: { id: 7 } },
            { id: 'b', name: 'lookup', arguments: null, invalid: '{"id' },
          ],
        },
        { role: 'tool', toolCallId: 'a', name: 'lookup', content: 'shipped' },
        { role: 'tool', toolCallId: 'b', name: 'lookup', content: 'not JSON' },
        { role: 'system', content: 'Answer in German.' },
      ],
      tools: [tool],
      settings: {
        ...{ temperature: 0.3, maxTokens: 50, toolChoice: 'auto', topP: 0.5, seed: 7, stop: ['END'] },
        ...{ reasoningEffort: 'low', verbosity: 'high' },
      },
    });
    const body = provider.requests[0]?.body ?? {};
    expect(body).toMatchObject({
      model: 'gpt-5-mini',
      temperature: 0.3,
      max_tokens: 50,
      tool_choice: 'auto',
      ...{ top_p: 0.5, seed: 7, stop: ['END'], reasoning_effort: 'low', verbosity: 'high' },
      tools: [{ type: 'function', function: { name: 'lookup', parameters: tool.parameters } }],
    });
    expect(body['messages']).toMatchObject([
      { role: 'system', content: 'Be brief.\n\nAnswer in German.' },
      { role: 'user', content: 'Where is order 7?' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'a' }, { id: 'b', function: { arguments: '{"invalid":"{\\"id"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'shipped' },
      { role: 'tool', tool_call_id: 'b', content: 'not JSON' },
    ]);
    await ask();
    expect(provider.requests[1]?.body).not.toHaveProperty('tools');
    expect(provider.requests[1]?.body).not.toHaveProperty('tool_choice');
  });

  it('goes to OpenAI itself where no base URL is set, and never to the variable of the process', async () => {
    const urls: string[] = [];
    const env = { OPENAI_API_KEY: canary };
    process.env['OPENAI_BASE_URL'] = 'http://127.0.0.1:1/v1';
    try {
      provider.reply({ text: 'ok' });
      const rerouted: typeof fetch = (url, init) => {
        urls.push(url instanceof Request ? url.url : String(url));
        return fetch(`${provider.url}/v1/chat/completions`, init);
      };
      await ask({}, { deps: { env, fetch: rerouted } });
    } finally {
      delete process.env['OPENAI_BASE_URL'];
    }
    expect(urls).toEqual(['https://api.openai.com/v1/chat/completions']);
    expect(provider.requests[0]?.headers['authorization']).toBe(`Bearer ${canary}`);
  });

  it.each([false, true])(
    'says what it leaves out in the log, not on the terminal (streamed: %s)',
    async (stream) => {
      logged.length = 0;
      const printed = vi.spyOn(process, 'emitWarning');
      const env = { OPENAI_API_KEY: canary };
      const rerouted: typeof fetch = (_, init) => fetch(`${provider.url}/v1/chat/completions`, init);
      provider.reply({ text: 'ok' });
      await ask(
        { settings: { temperature: 0.1 } },
        { deps: { env, fetch: rerouted, ...(stream ? { onText: () => undefined } : {}) } },
      );
      // A reasoning model takes no temperature; to send one would be answered by status 400.
      expect(provider.requests[0]?.body).not.toHaveProperty('temperature');
      expect(logged.join('\n')).toContain('temperature is not supported');
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    },
  );

  it("needs no key for a server of one's own", async () => {
    provider.reply({ text: 'ok' });
    await ask({ model: 'llama3:8b' }, { deps: { env: { OPENAI_BASE_URL: `${provider.url}/v1` } } });
    expect(provider.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(provider.requests[0]?.body['model']).toBe('llama3:8b');
  });

  it.each(['', '/', '/v1', '/v1/'])('takes an ANTHROPIC_BASE_URL that ends with "%s"', async (ending) => {
    provider.reply({ text: 'ok' });
    const env = { ANTHROPIC_API_KEY: canary, ANTHROPIC_BASE_URL: provider.url + ending };
    await ask({ model: 'claude-haiku-4-5' }, { deps: { env } });
    expect(provider.requests[0]).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': canary } });
  });

  it('writes an idempotency key that is no plain text so that a header can carry it', async () => {
    provider.reply({ text: 'ok' }, { text: 'ok' });
    const env = { OPENAI_BASE_URL: `${provider.url}/v1` };
    for (const key of ['bestellung-größe 7\n/3', `${'x'.repeat(900)}/3`])
      await runActivity('modelCall', { call: makeCall(), idempotencyKey: key }, { deps: { env } });
    expect(provider.requests.map((request) => request.headers['idempotency-key'])).toEqual([
      'bestellung-gr%C3%B6%C3%9Fe%207%0A/3',
      expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    ]);
  });
});

describe('usage', () => {
  it('is 0 where the provider gave none, or nonsense', async () => {
    provider.reply({ text: 'a', usage: null }, { text: 'b', usage: { input: -5, output: 3 } });
    expect((await ask()).usage).toEqual({ input_tokens: 0, output_tokens: 0 });
    expect((await ask()).usage).toEqual({ input_tokens: 0, output_tokens: 3 });
  });

  it('does without a reason of the end where the answer came whole', async () => {
    provider.reply({ text: 'a', finishReason: null });
    expect(await ask()).toMatchObject({ text: 'a', finishReason: 'other' });
  });
});

describe('streamed text', () => {
  it('reaches the listener piece by piece, with run, position and attempt', async () => {
    const events: { runId: string; position: string; text: string; attempt: number }[] = [];
    provider.reply({ text: 'The quick brown fox jumps' });
    const { text } = await ask({}, { deps: { onText: (event) => events.push(event) }, info: { attempt: 2 } });
    expect(events.map((event) => event.text).join('')).toBe(text);
    expect(events.length).toBeGreaterThan(2);
    expect(events[0]).toMatchObject({ runId: 'review-triage-1', position: '3.0', attempt: 2 });
  });

  it('costs nothing when the listener fails', async () => {
    let told = 0;
    const onText = (): never => {
      told++;
      throw new Error('the terminal is gone');
    };
    provider.reply({ text: 'The quick brown fox jumps' });
    expect((await ask({}, { deps: { onText } })).text).toBe('The quick brown fox jumps');
    expect(told).toBe(1);
  });
});
