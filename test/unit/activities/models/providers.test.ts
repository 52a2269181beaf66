import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/contract/environment.js';
import { providerOfModel, type ModelCall } from '../../../../src/contract/models/model-call.js';
import { isInstalled } from '../../../../src/activities/packages/installed.js';
import { providers } from '../../../../src/activities/models/providers/index.js';
import { startProviderStandIn, type ProviderStandIn } from '../../../support/provider-stand-in.js';
import { providersAt } from './providers-at.js';
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

function ask(change: Partial<ModelCall>, env: Environment = {}, options: RunOptions = {}) {
  const all = { ...providersAt(provider.url), ...env };
  const input = { call: makeCall(change), idempotencyKey };
  return runActivity('modelCall', input, { ...options, deps: { env: all, ...options.deps } });
}

const lookup = {
  name: 'lookup',
  description: 'Looks an order up',
  parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
};
const schema = {
  type: 'object',
  properties: { mood: { type: 'string' } },
  required: ['mood'],
  additionalProperties: false,
};

/** Where each is asked, and in which header the key goes. */
const asked = [
  { model: 'openai/gpt-5-mini', path: '/openai/v1/chat/completions', header: 'authorization' },
  { model: 'anthropic/claude-haiku-4-5', path: '/anthropic/v1/messages', header: 'x-api-key' },
  {
    model: 'google/gemini-2.5-flash',
    path: '/google/v1/models/gemini-2.5-flash:generateContent',
    header: 'x-goog-api-key',
  },
  { model: 'bedrock/some.model-v1:0', path: '/model/some.model-v1%3A0/converse', header: 'authorization' },
  { model: 'azure/deployed', path: '/azure/v1/chat/completions', header: 'api-key' },
  { model: 'mistral/small', path: '/mistral/v1/chat/completions', header: 'authorization' },
  { model: 'groq/llama', path: '/groq/v1/chat/completions', header: 'authorization' },
  { model: 'xai/grok-4', path: '/xai/v1/responses', header: 'authorization' },
  { model: 'openrouter/meta/llama', path: '/openrouter/v1/chat/completions', header: 'authorization' },
  { model: 'ollama/llama3:8b', path: '/ollama/v1/chat/completions', header: 'authorization' },
  { model: 'vllm/meta/llama', path: '/vllm/v1/chat/completions', header: 'authorization' },
];

describe.each(asked)('$model', ({ model, path, header }) => {
  it('is asked where it is, with its key, the prompt, the tools and the schema', async () => {
    // Models that can't have both tools and a schema are given the schema as one more tool.
    provider.reply(({ body }) =>
      JSON.stringify(body).includes('"json"')
        ? { toolCalls: [{ name: 'json', arguments: '{"mood": "calm"}' }] }
        : { text: '{"mood": "calm"}' },
    );
    const given = { system: 'Be brief.', tools: [lookup], outputSchema: schema };
    const result = await ask({ model, ...given, messages: [{ role: 'user', content: 'How are you?' }] });
    expect(JSON.parse(result.text)).toEqual({ mood: 'calm' });
    const [request] = provider.requests;
    expect(request?.path.replace(/\?.*/, '')).toBe(path);
    const key = String(request?.headers[header]);
    expect(key).toContain(model.startsWith('bedrock') ? 'AWS4-HMAC-SHA256 Credential=AKIACANARY' : canary);
    const body = JSON.stringify(request?.body);
    for (const text of ['Be brief.', 'How are you?', 'Looks an order up', 'mood'])
      expect(body).toContain(text);
    expect(body).not.toContain(canary);
  });

  it('keeps the digits of integers past 2^53 in arguments of tools', async () => {
    const anything = { ...lookup, parameters: { type: 'object', properties: { order: {} } } };
    const text = '{"order":{"id":9007199254740993,"n":7,"deep":[-12345678901234567890]}}';
    const id = { id: '9007199254740993', n: 7, deep: ['-12345678901234567890'] };
    for (const deps of [{}, { onText: () => undefined }]) {
      provider.reply({ toolCalls: [{ id: 'abcdefgh1', name: 'lookup', arguments: text }] });
      const { toolCalls } = await ask({ model, tools: [anything] }, {}, { deps });
      expect(toolCalls[0]?.arguments).toEqual({ order: id });
    }
  });

  it('calls tools, and is told what they gave', async () => {
    provider.reply({ toolCalls: [{ id: 'abcdefgh1', name: 'lookup', arguments: '{"id":7}' }] });
    const [call] = (await ask({ model, tools: [lookup] })).toolCalls;
    expect(call).toMatchObject({ name: 'lookup', arguments: { id: 7 } });
    provider.reply({ text: 'It is sent.' });
    const { id = '', name = '' } = call ?? {};
    await ask({
      model,
      tools: [lookup],
      messages: [
        { role: 'user', content: 'Where is 7?' },
        { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: { id: 7 } }] },
        { role: 'tool', toolCallId: id, name, content: '{"state":"on its way"}' },
      ],
    });
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('on its way');
  });
});

describe('addresses', () => {
  const keys = { GEMINI_API_KEY: canary, MISTRAL_API_KEY: canary, GROQ_API_KEY: canary, XAI_API_KEY: canary };
  const aws = { AWS_BEARER_TOKEN_BEDROCK: canary, AWS_DEFAULT_REGION: 'eu-central-1' };
  it.each([
    ['gemini/flash', 'https://generativelanguage.googleapis.com/v1beta/models/flash:generateContent'],
    ['mistral/small', 'https://api.mistral.ai/v1/chat/completions'],
    ['groq/llama', 'https://api.groq.com/openai/v1/chat/completions'],
    ['xai/grok-4', 'https://api.x.ai/v1/responses'],
    ['bedrock/m', 'https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse'],
    ['azure/d', 'https://mine.openai.azure.com/openai/v1/chat/completions?api-version=v1'],
    ['ollama/llama3', 'http://127.0.0.1:11434/v1/chat/completions'],
  ])('%s is at its own one where none is said', async (model, expected) => {
    const seen: { url: string; headers: string }[] = [];
    const fetch = (input: unknown, init?: RequestInit): Promise<Response> => {
      const headers = JSON.stringify([...new Headers(init?.headers)]);
      seen.push({ url: String(input instanceof Request ? input.url : input), headers });
      return Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 400 }));
    };
    const env = { ...keys, ...aws, AZURE_API_KEY: canary, AZURE_RESOURCE_NAME: 'mine' };
    const input = { call: makeCall({ model }), idempotencyKey };
    await failureOf(runActivity('modelCall', input, { deps: { env, fetch } }));
    expect(seen[0]?.url).toBe(expected);
    if (!model.startsWith('ollama')) expect(seen[0]?.headers).toContain(canary);
  });

  it("Azure's is taken as its own tools write it", async () => {
    const urls: string[] = [];
    const fetch = (input: unknown): Promise<Response> => {
      urls.push(String(input instanceof Request ? input.url : input));
      return Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 400 }));
    };
    const env = { AZURE_OPENAI_API_KEY: canary, AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' };
    const input = { call: makeCall({ model: 'azure/d' }), idempotencyKey };
    await failureOf(runActivity('modelCall', input, { deps: { env, fetch } }));
    expect(urls).toEqual(['https://mine.openai.azure.com/openai/v1/chat/completions?api-version=v1']);
  });

  it("takes nothing from the environment of the worker's process", async () => {
    const names = ['MISTRAL_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK', 'AWS_SESSION_TOKEN', 'OPENAI_ORGANIZATION'];
    for (const name of names) process.env[name] = 'of-the-process';
    try {
      for (const model of ['mistral/small', 'bedrock/m', 'openai/gpt-5-mini', 'azure/d']) {
        provider.reply({ text: 'Hello' });
        await ask({ model });
      }
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    }
    expect(JSON.stringify(provider.requests)).not.toContain('of-the-process');
  });
});

describe('the Responses API', () => {
  it.each(['openai/gpt-5-mini', 'azure/deployed', 'xai/grok-4'])('%s is asked by it', async (model) => {
    provider.reply({ text: 'Hello', model: 'that-one' });
    const settings = { modelType: 'responses', reasoningEffort: 'low', maxTokens: 50 } as const;
    expect(await ask({ model, settings })).toMatchObject({ text: 'Hello', finishReason: 'stop' });
    expect(provider.requests[0]?.path).toMatch(/\/v1\/responses/);
    // Nothing of a conversation is kept elsewhere than in the run.
    expect(provider.requests[0]?.body).toMatchObject({ store: false, max_output_tokens: 50 });
    expect(provider.requests[0]?.body).toMatchObject({ reasoning: { effort: 'low' } });
  });

  it('is refused where a provider has none', async () => {
    const failure = await failureOf(
      ask({ model: 'anthropic/claude-haiku-4-5', settings: { modelType: 'responses' } }),
    );
    expect(failure).toMatchObject({ type: 'unknown_model', nonRetryable: true });
    expect(failure.message).toContain('model_type');
    expect(provider.requests).toEqual([]);
  });
});

it.each([
  ['mistral/magistral', { prompt: /"reasoning_effort":"high"|reasoning/ }],
  ['anthropic/claude-opus-4-5', { prompt: /thinking|effort/ }],
  ['google/gemini-2.5-flash', { prompt: /thinking/ }],
])('%s is told how hard to think in its own words', async (model, { prompt }) => {
  provider.reply({ text: 'Hello' });
  await ask({ model, settings: { reasoningEffort: 'high' } });
  expect(JSON.stringify(provider.requests[0]?.body)).toMatch(prompt);
});

it('knows which package is there', () => {
  expect(isInstalled('@ai-sdk/google')).toBe(true);
  expect(isInstalled('@ai-sdk/none')).toBe(false);
  const names = providers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(providerOfModel(`${name}/m`)).toBe(name);
  for (const alias of ['gemini', 'amazon-bedrock', 'ollama_chat', 'hosted_vllm'])
    expect(names).toContain(providerOfModel(`${alias}/m`));
});
