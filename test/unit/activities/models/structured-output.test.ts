import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import {
  startProviderStandIn,
  type ModelAnswer,
  type ProviderStandIn,
} from '../../../support/provider-stand-in.js';
import {
  canary,
  failureOf,
  idempotencyKey,
  makeCall,
  runActivity,
  type RunOptions,
} from '../run-activity.js';

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
  const env = {
    OPENAI_API_KEY: canary,
    OPENAI_API_BASE: `${provider.url}/v1`,
    ANTHROPIC_API_KEY: canary,
    ANTHROPIC_BASE_URL: provider.url,
  };
  return runActivity(
    'modelCall',
    { call: makeCall(change), idempotencyKey },
    { ...options, deps: { env, ...options.deps } },
  );
}

const listening = (stream: boolean): RunOptions => (stream ? { deps: { onText: () => undefined } } : {});

describe('a conversation in which nobody has said anything', () => {
  it('is the system prompt alone to OpenAI', async () => {
    provider.reply({ text: 'hi' });
    await ask({ model: 'openai/gpt-x', system: 'Be kind.', messages: [] });
    expect(provider.requests[0]?.body['messages']).toEqual([{ role: 'system', content: 'Be kind.' }]);
  });

  it('is opened with a word to others', async () => {
    provider.reply({ text: 'hi' });
    await ask({ model: 'anthropic/claude-x', system: 'Be kind.', messages: [] });
    expect(provider.requests[0]?.body).toMatchObject({
      system: [{ type: 'text', text: 'Be kind.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
  });
});

describe('structured output', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { sentiment: { type: 'string', enum: ['positive', 'negative'] } },
    required: ['sentiment'],
    additionalProperties: false,
  };
  const format = (index = 0): unknown =>
    (provider.requests[index]?.body['response_format'] as JsonObject | undefined)?.['json_schema'];

  it.each([false, true])('sends the schema and gives the JSON text (streamed: %s)', async (stream) => {
    provider.reply({ text: '{"sentiment":"positive"}' });
    const { text } = await ask({ outputSchema: schema }, listening(stream));
    expect(JSON.parse(text)).toEqual({ sentiment: 'positive' });
    expect(format()).toMatchObject({ schema, strict: true });
  });

  it('takes values that the model wrote as text for what their fields declare', async () => {
    const properties = {
      ...{ n: { type: 'number' }, i: { type: 'integer' }, b: { type: 'boolean' }, s: { type: 'string' } },
      ...{ l: { type: 'array' }, o: { type: 'object' } },
    };
    const answer = { n: ' -1.5e2', i: '3', b: 'True', s: '7', l: '[1]', o: '{"a": 1}' };
    provider.reply({ text: JSON.stringify(answer) });
    const { text } = await ask({ outputSchema: { type: 'object', properties } });
    expect(JSON.parse(text)).toEqual({ n: -150, i: 3, b: true, s: '7', l: [1], o: { a: 1 } });
    provider.reply({ text: '{"i":"3.5"}' });
    expect(await failureOf(ask({ outputSchema: { type: 'object', properties } }))).toMatchObject({
      type: 'model_call_failed',
    });
  });

  it('gives an answer of any form to those who take it', async () => {
    provider.reply({ text: 'Positive, I think.' });
    const { text } = await ask({ outputSchema: schema, isLenient: true });
    expect(text).toBe('Positive, I think.');
  });

  it.each([
    ['{"a": [1]}', true],
    [' [1, 2] ', true],
    ['```json\n{"a": 1}\n```', true],
    ['42', undefined],
    ['null', undefined],
    ['{"a": ', undefined],
    ['See: {"a": 1}', undefined],
  ])('tells whether the answer %j is JSON, where no schema asked for it', async (text, isJson) => {
    provider.reply({ text });
    const result = await ask();
    expect([result.text, result.isJson]).toEqual([text, isJson]);
  });

  it('leaves the strict mode out where a member may be missing', async () => {
    provider.reply({ text: '{}' });
    await ask({ outputSchema: { type: 'object', properties: { note: { type: 'string' } } } });
    expect(format()).toMatchObject({ strict: false });
  });

  it('wraps a schema that is no object, and unwraps the answer', async () => {
    provider.reply({ text: '{"value":["a","b"]}' });
    expect(
      JSON.parse((await ask({ outputSchema: { type: 'array', items: { type: 'string' } } })).text),
    ).toEqual(['a', 'b']);
    expect(format()).toMatchObject({ schema: { type: 'object', required: ['value'] } });
  });

  it('takes JSON out of a fence of Markdown', async () => {
    provider.reply({ text: '```json\n{"sentiment":"negative"}\n```' });
    expect(JSON.parse((await ask({ outputSchema: schema })).text)).toEqual({ sentiment: 'negative' });
  });

  const refused: [string, ModelAnswer, RegExp, boolean][] = [
    ['text', { text: 'It is positive.' }, /answered with text where JSON was asked for/, false],
    ['nothing', { text: '' }, /answered with nothing where JSON/, false],
    [
      'another value',
      { text: '{"sentiment":"mixed"}' },
      /didn't follow the output schema: #\/sentiment/,
      false,
    ],
    [
      'a member too many',
      { text: '{"sentiment":"positive","x":1}' },
      /didn't follow the output schema: #\/x: isn't asked for$/,
      false,
    ],
    [
      'half a JSON at the limit of tokens',
      { text: '{"sentiment":"posi', finishReason: 'length' },
      /cut off at its limit of tokens/,
      true,
    ],
  ];
  it.each(refused)('refuses %s', async (_, answer, message, nonRetryable) => {
    provider.reply(answer);
    const failure = await failureOf(ask({ outputSchema: schema }));
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable });
    expect(failure.message).toMatch(message);
  });

  it('lets the model call a tool first', async () => {
    provider.reply({ toolCalls: [{ id: 'a', name: 'lookup', arguments: '{"id":1}' }] });
    expect((await ask({ outputSchema: schema, tools: [tool] })).finishReason).toBe('tool_calls');
  });

  const unusable: [string, JsonObject][] = [
    ['an unknown type', { type: 'object', properties: { a: { type: 'strnig' } } }],
    [
      'a reference to elsewhere',
      { type: 'object', properties: { a: { $ref: 'https://example.com/s.json' } } },
    ],
    ['members that are no schemas', { type: 'object', properties: 'all' }],
  ];
  it.each(unusable)('buys nothing for a schema with %s', async (_, outputSchema) => {
    const failure = await failureOf(ask({ outputSchema }));
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: true });
    expect(failure.message).toMatch(/output schema can't be used/);
    expect(provider.requests).toHaveLength(0);
  });

  it('is not blocked by a pattern that backtracks', async () => {
    provider.reply({ text: JSON.stringify({ a: `${'a'.repeat(40)}!` }) });
    const started = Date.now();
    await ask({
      outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    });
    expect(Date.now() - started).toBeLessThan(5_000);
  });
});
