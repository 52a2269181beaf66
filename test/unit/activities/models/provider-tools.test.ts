import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callDigest } from '../../../../src/contract/tools/tool-policy.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import {
  argumentsOf,
  providerToolSources,
  type ProviderTool,
} from '../../../../src/contract/models/provider-tool.js';
import { startProviderStandIn, type ProviderStandIn } from '../../../support/provider-stand-in.js';
import { providersAt } from './providers-at.js';
import {
  failureOf,
  idempotencyKey,
  logged,
  makeCall,
  runActivity,
  type RunOptions,
} from '../run-activity.js';

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

function given(source: string, args: JsonObject = {}, more: Partial<ProviderTool> = {}): ProviderTool {
  return { name: 'search', source: `provider.${source}`, args, procedure: 'main', ...more };
}

const responses = { modelType: 'responses' } as const;
const models: Record<string, string> = {
  openai: 'openai/gpt-5',
  azure: 'azure/deployed',
  anthropic: 'anthropic/claude-opus-4-5',
  google: 'google/gemini-3-pro',
  xai: 'xai/grok-4',
  groq: 'groq/openai/gpt-oss-120b',
};

/** As each provider is told of a tool, set up so. */
const told: [string, JsonObject, JsonObject][] = [
  [
    'openai.web_search',
    { search_context_size: 'low', filters: { allowed_domains: ['shop.example'] } },
    { type: 'web_search', search_context_size: 'low', filters: { allowed_domains: ['shop.example'] } },
  ],
  [
    'openai.file_search',
    { vector_store_ids: ['vs_1'], max_num_results: 3 },
    { type: 'file_search', vector_store_ids: ['vs_1'], max_num_results: 3 },
  ],
  ['openai.code_interpreter', {}, { type: 'code_interpreter', container: { type: 'auto' } }],
  ['azure.web_search', {}, { type: 'web_search' }],
  ['azure.file_search', { vector_store_ids: ['vs_1'] }, { type: 'file_search', vector_store_ids: ['vs_1'] }],
  ['azure.code_interpreter', {}, { type: 'code_interpreter' }],
  ['anthropic.web_search', { max_uses: 2 }, { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
  ['anthropic.web_fetch', { max_content_tokens: 9 }, { type: 'web_fetch_20250910', max_content_tokens: 9 }],
  ['anthropic.code_execution', {}, { type: 'code_execution_20250825' }],
  ['google.google_search', {}, { googleSearch: {} }],
  ['google.url_context', {}, { urlContext: {} }],
  ['google.code_execution', {}, { codeExecution: {} }],
  [
    'google.file_search',
    { file_search_store_names: ['fileSearchStores/a'], top_k: 2 },
    { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'], topK: 2 } },
  ],
  [
    'xai.web_search',
    { excluded_domains: ['a.example'] },
    { type: 'web_search', excluded_domains: ['a.example'] },
  ],
  ['xai.x_search', { from_date: '2026-01-01' }, { type: 'x_search', from_date: '2026-01-01' }],
  ['xai.code_execution', {}, { type: 'code_interpreter' }],
  ['xai.file_search', { vector_store_ids: ['c'] }, { type: 'file_search', vector_store_ids: ['c'] }],
  ['groq.browser_search', {}, { type: 'browser_search' }],
];

it.each(told)('%s goes to its provider, as it is set up', async (source, args, expected) => {
  logged.length = 0;
  provider.reply({ text: 'Found it' });
  const [by = ''] = source.split('.');
  const call = { model: models[by] ?? '', settings: responses, providerTools: [given(source, args)] };
  const { settings, ...plain } = call;
  const { text } = await ask(
    by === 'openai' || by === 'azure' || by === 'xai' ? { ...plain, settings } : plain,
  );
  expect(text).toBe('Found it');
  expect(provider.requests).toHaveLength(1);
  expect(provider.requests[0]?.body['tools']).toMatchObject([expected]);
  // Nothing of it was left out by the way.
  expect(logged.filter((line) => line.includes('The model call was changed'))).toEqual([]);
});

it('there is none of which that is not known', () => {
  expect(told.map(([source]) => `provider.${source}`).sort()).toEqual([...providerToolSources].sort());
  for (const [source, args] of told)
    expect(argumentsOf(`provider.${source}`)).toEqual(expect.arrayContaining(Object.keys(args)));
});

describe.each([
  { model: 'openai/gpt-5', source: 'openai.web_search', settings: responses, stream: false },
  { model: 'openai/gpt-5', source: 'openai.web_search', settings: responses, stream: true },
  { model: 'anthropic/claude-opus-4-5', source: 'anthropic.web_search', settings: {}, stream: false },
  { model: 'anthropic/claude-opus-4-5', source: 'anthropic.web_search', settings: {}, stream: true },
])('what $model has run itself (streamed: $stream)', ({ model, source, settings, stream }) => {
  const options: RunOptions = stream ? { deps: { onText: () => undefined } } : {};
  const searches = [{ query: 'tea', url: 'https://tea.example/' }];
  const lookup = { name: 'lookup', description: 'Looks up', parameters: { type: 'object', properties: {} } };

  it('is a part of its answer', async () => {
    provider.reply({ text: 'Tea is hot.', searches });
    expect(await ask({ model, settings, providerTools: [given(source)] }, options)).toMatchObject({
      ...{ text: 'Tea is hot.', toolCalls: [], finishReason: 'stop' },
      providerCalls: [{ name: 'search', arguments: { query: 'tea' } }],
      sources: [{ url: 'https://tea.example/' }],
    });
  });

  it('is none of the calls that the run is asked for', async () => {
    provider.reply({
      ...{ text: 'Let me see.', searches },
      toolCalls: [{ id: 'a', name: 'lookup', arguments: '{}' }],
    });
    const result = await ask({ model, settings, tools: [lookup], providerTools: [given(source)] }, options);
    expect(result).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [{ id: 'a', name: 'lookup' }],
      providerCalls: [{ name: 'search' }],
    });
    expect(result.toolCalls).toHaveLength(1);
  });
});

it('an answer that the provider wants to be asked for once more is none', async () => {
  provider.reply({ text: 'So far', finishReason: 'paused' });
  const call = { model: 'anthropic/claude-opus-4-5', providerTools: [given('anthropic.web_search')] };
  expect(await failureOf(ask(call))).toMatchObject({
    nonRetryable: true,
    message: expect.stringContaining('paused its answer') as string,
  });
});

describe('a model', () => {
  it.each([
    [
      'of another provider',
      { model: 'anthropic/claude-opus-4-5' },
      'anthropic has no provider.openai.web_search',
    ],
    ['by the other API', {}, 'provider.openai.web_search needs model_type = "responses"'],
  ])('%s is not asked at all', async (_, change, message) => {
    const failure = await failureOf(ask({ providerTools: [given('openai.web_search')], ...change }));
    expect(failure).toMatchObject({ type: 'unknown_model', nonRetryable: true });
    expect(failure.message).toContain(message);
    expect(provider.requests).toEqual([]);
  });

  it('is given the tools of its own provider, of several', async () => {
    provider.reply({ text: 'ok' });
    const providerTools = [given('openai.web_search'), given('anthropic.web_search', {}, { name: 'other' })];
    await ask({ settings: responses, providerTools });
    expect(provider.requests[0]?.body['tools']).toMatchObject([{ type: 'web_search' }]);
  });

  it('is not asked with settings that the tool does not take', async () => {
    const providerTools = [given('openai.web_search', { search_context_size: 'huge' })];
    const failure = await failureOf(ask({ settings: responses, providerTools }));
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: true });
    expect(failure.message).toContain('takes no such args of search: search_context_size: ');
    expect(provider.requests).toEqual([]);
  });

  it('may be made to use one', async () => {
    provider.reply({ text: 'ok', searches: [{ query: 'tea', url: 'https://tea.example/' }] });
    const settings = { ...responses, toolChoice: 'required' } as const;
    await ask({ settings, providerTools: [given('openai.web_search')] });
    expect(provider.requests[0]?.body['tool_choice']).toBe('required');
  });
});

describe("the worker's own policy", () => {
  const source = 'openai.web_search';
  const withheld = async (tool: ProviderTool, action: 'approve' | 'deny' | null): Promise<unknown> => {
    provider.reply({ text: 'ok' });
    const rules = action === null ? [] : [{ tool: 'provider.openai.*', action }];
    const toolPolicy = { default: 'allow', rules } as const;
    const result = await ask(
      { settings: responses, providerTools: [tool] },
      {
        deps: { env: providersAt(provider.url), toolPolicy },
        info: { currentAttemptScheduledTimestampMs: 1_000 },
      },
    );
    expect(provider.requests.at(-1)?.body['tools'] === undefined).toBe(result.withheld !== undefined);
    return result.withheld?.[0]?.reason;
  };
  const digest = callDigest(`provider.${source}`, {});
  const approval = { request: 'run/0', digest, by: 'ann', expiresAt: 2_000 };

  it('keeps from the provider what it forbids, or what nobody has allowed', async () => {
    expect(await withheld(given(source), null)).toBeUndefined();
    expect(await withheld(given(source), 'deny')).toBe(
      "search was not given to the model: the worker's policy forbids provider.openai.web_search",
    );
    expect(await withheld(given(source, {}, { approval }), 'deny')).toContain('forbids');
    expect(await withheld(given(source), 'approve')).toContain(
      'the approval of provider.openai.web_search is missing',
    );
  });

  it('looks at the approval again', async () => {
    expect(await withheld(given(source, {}, { approval }), 'approve')).toBeUndefined();
    const expired = { ...approval, expiresAt: 500 };
    expect(await withheld(given(source, {}, { approval: expired }), null)).toContain('has expired');
    const other = given(source, { search_context_size: 'high' }, { approval });
    expect(await withheld(other, 'approve')).toContain('is of another call');
  });
});
