import { readFileSync } from 'node:fs';
import { MockActivityEnvironment } from '@temporalio/testing';
import { CancelledFailure } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import type { LocalModelFiles } from '../../../../src/activities/activity-deps.js';
import { workerActivities } from '../../../../src/worker/worker-activities.js';
import type { ModelCall, ModelCallResult } from '../../../../src/contract/models/model-call.js';
import { failureOf, idempotencyKey, makeCall } from '../run-activity.js';

function installed(): LocalModelFiles | null {
  try {
    const text = readFileSync(new URL('../../../../.toolchain/paths.json', import.meta.url), 'utf8');
    return (JSON.parse(text) as { localModel?: LocalModelFiles | null }).localModel ?? null;
  } catch {
    return null;
  }
}

const files = installed();
const texts: string[] = [];
/** One worker's activities: the model is loaded once for all tests. */
const activities = workerActivities({
  env: {},
  filesRoot: '/nowhere',
  procedureFolders: [],
  localModel: files,
});
const streaming = workerActivities({
  env: {},
  filesRoot: '/nowhere',
  procedureFolders: [],
  localModel: files,
  onText: ({ text }) => texts.push(text),
});

function environment(
  info: ConstructorParameters<typeof MockActivityEnvironment>[0] = {},
): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}

function ask(
  change: Partial<ModelCall>,
  { use = activities, env = environment() } = {},
): Promise<ModelCallResult> {
  const call = makeCall({ model: null, settings: { maxTokens: 40 }, ...change });
  return env.run((input: Parameters<typeof use.modelCall>[0]) => use.modelCall(input), {
    call,
    idempotencyKey,
  });
}

const tools = [
  {
    name: 'get_weather',
    description: 'Gets the weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

describe.skipIf(files === null)('the local model', { timeout: 120_000 }, () => {
  it('is what answers where nobody names a model and no key is there', async () => {
    const result = await ask({
      system: 'Answer in a few words.',
      messages: [{ role: 'user', content: 'Name a colour.' }],
    });
    expect(result).toMatchObject({
      toolCalls: [],
      finishReason: 'stop',
      model: 'local/smollm2-135m-instruct',
    });
    expect(result.text.trim()).not.toBe('');
    expect(result.usage.input_tokens).toBeGreaterThan(10);
    expect(result.usage.output_tokens).toBeGreaterThan(0);
    expect(result.usage.output_tokens).toBeLessThanOrEqual(40);
  });

  it('gives the same text to the same question, whoever asked in between', async () => {
    const question: Partial<ModelCall> = {
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
    };
    const first = await ask(question);
    await ask({ messages: [{ role: 'user', content: 'My secret word is banana.' }] });
    expect(await ask(question)).toEqual(first);
  });

  it('follows a schema, small numbers and choices included', async () => {
    const outputSchema = {
      type: 'object',
      properties: {
        sentiment: { type: 'string', enum: ['positive', 'negative'] },
        stars: { type: 'integer', minimum: 1, maximum: 5 },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['sentiment', 'stars', 'tags', 'note'],
      additionalProperties: false,
    };
    const { text } = await ask({
      outputSchema,
      system: 'Classify the review.',
      messages: [{ role: 'user', content: 'The battery died after two days and nobody answers.' }],
      settings: {},
    });
    const value = JSON.parse(text) as { sentiment: string; stars: number };
    expect(['positive', 'negative']).toContain(value.sentiment);
    expect([1, 2, 3, 4, 5]).toContain(value.stars);
  });

  it('calls a tool where it must, goes on with its result, and can be kept from it', async () => {
    const question = { role: 'user' as const, content: 'What is the weather in Paris?' };
    const asked = await ask({
      tools,
      messages: [question],
      settings: { toolChoice: { tool: 'get_weather' }, maxTokens: 60 },
    });
    expect(asked).toMatchObject({ finishReason: 'tool_calls', toolCalls: [{ name: 'get_weather' }] });
    const other = {
      ...tools[0],
      name: 'get_time',
      description: 'The time in a city',
    } as ModelCall['tools'][number];
    const chosen = await ask({
      tools: [...tools, other],
      messages: [question],
      settings: { toolChoice: { tool: 'get_time' }, maxTokens: 60 },
    });
    expect(chosen.toolCalls).toMatchObject([{ name: 'get_time' }]);
    const required = await ask({
      tools,
      messages: [question],
      settings: { toolChoice: 'required', maxTokens: 60 },
    });
    expect(required.toolCalls).toMatchObject([{ name: 'get_weather' }]);
    expect(asked.toolCalls[0]?.arguments).toHaveProperty('city');
    const [call] = asked.toolCalls;
    if (call === undefined) throw new Error('no call');
    const messages: ModelCall['messages'] = [
      question,
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: call.id, name: call.name, content: '21 degrees, sunny' },
    ];
    const answer = await ask({ tools, messages, settings: { toolChoice: 'none', maxTokens: 40 } });
    expect(answer.toolCalls).toEqual([]);
    expect(answer.text.trim()).not.toBe('');
  });

  it('writes JSON where it is given tools as well and calls none', async () => {
    const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
    const result = await ask({
      tools,
      outputSchema,
      messages: [{ role: 'user', content: 'Is the sky blue?' }],
      settings: {},
    });
    if (result.toolCalls.length === 0) expect(JSON.parse(result.text)).toHaveProperty('ok');
  });

  it('streams', async () => {
    texts.length = 0;
    const result = await ask({ messages: [{ role: 'user', content: 'Count to five.' }] }, { use: streaming });
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join('')).toBe(result.text);
  });

  it('answers several at once as it answers them one by one', async () => {
    const questions = ['Ann', 'Bob', 'Cid'].map((name): Partial<ModelCall> => ({
      messages: [{ role: 'user', content: `Say hello to ${name}.` }],
      settings: { maxTokens: 12 },
    }));
    const together = await Promise.all(questions.map((question) => ask(question)));
    for (const [i, question] of questions.entries()) expect(await ask(question)).toEqual(together[i]);
  });

  it('stops when it is cancelled or its time is up, and answers the next one', async () => {
    const story: Partial<ModelCall> = {
      messages: [{ role: 'user', content: 'Write a very long story.' }],
      settings: { maxTokens: 3_000 },
    };
    const env = environment();
    const cancelled = ask(story, { env });
    setTimeout(() => env.cancel(), 300);
    await expect(cancelled).rejects.toBeInstanceOf(CancelledFailure);
    const late = await failureOf(ask({ ...story, settings: { maxTokens: 3_000, timeoutMs: 300 } }));
    expect(late).toMatchObject({ type: 'model_call_failed', nonRetryable: false });
    expect((await ask({ messages: [{ role: 'user', content: 'Hello' }] })).text).not.toBe('');
  });

  it('refuses a conversation that is too long for it instead of forgetting its beginning', async () => {
    const failure = await failureOf(ask({ messages: [{ role: 'user', content: 'word '.repeat(6_000) }] }));
    expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: true });
    expect(failure.message).toMatch(/takes conversations of up to 4064 tokens; this one has \d+/);
  });

  it('tries something else at the second attempt, since the likeliest answer was refused', async () => {
    const messages: ModelCall['messages'] = [{ role: 'user', content: 'Tell me about a day at the sea.' }];
    const first = await ask({ messages });
    const second = await ask({ messages }, { env: environment({ attempt: 2 }) });
    expect(second.text).not.toBe(first.text);
  });

  it('says why it cannot be loaded, and tries again at the next call', async () => {
    const broken = workerActivities({
      env: {},
      filesRoot: '/nowhere',
      procedureFolders: [],
      localModel: { llamaPackage: files?.llamaPackage ?? '', gguf: '/nowhere/model.gguf' },
    });
    for (let i = 0; i < 2; i++) {
      const failure = await failureOf(ask({}, { use: broken }));
      expect(failure).toMatchObject({ type: 'model_call_failed', nonRetryable: true });
      expect(failure.message).toContain("local/smollm2-135m-instruct: can't be loaded");
    }
  });
});
