import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  fitToProvider,
  looseRules,
  rulesOf,
  strictRules,
} from '../../../../src/activities/models/conversation.js';
import type { Message, ModelCall, ToolCall } from '../../../../src/contract/models/model-call.js';
import { startProviderStandIn, type ProviderStandIn } from '../../../support/provider-stand-in.js';
import { providersAt } from './providers-at.js';
import { idempotencyKey, makeCall, runActivity } from '../run-activity.js';

let provider: ProviderStandIn;
beforeAll(async () => {
  provider = await startProviderStandIn();
  provider.reply(() => ({ text: 'ok' }));
  return () => provider.close();
});

function ask(change: Partial<ModelCall>) {
  const input = { call: makeCall(change), idempotencyKey };
  return runActivity('modelCall', input, { deps: { env: providersAt(provider.url) } });
}

/** The conversation as the last request has it. */
const sent = (): string => JSON.stringify(provider.requests.at(-1)?.body);

const lookup = { name: 'lookup', description: 'Looks an order up', parameters: { type: 'object' } };

const models = [
  'openai/gpt-x',
  'openai/mistralai/Mistral-Small-24B',
  'anthropic/claude-x',
  'google/gemini-x',
  'google/gemini-3-pro',
  'bedrock/eu.anthropic.claude-x-v1:0',
  'bedrock/mistral.mistral-large-v1:0',
  'azure/deployed',
  'mistral/mistral-small-latest',
  'mistral/devstral-x',
  'groq/llama',
  'xai/grok-x',
  'openrouter/mistralai/devstral',
  'vllm/qwen',
  'ollama/gemma3:4b',
];

const text = fc.constantFrom('', ' ', '\n\t', 'hi', 'Where is order 7?', 'half \ud83d of one', '{"a":1}');
const id = fc.constantFrom(
  ...['a', 'a', 'b', 'abcdefgh1', 'call_4PkgzQd8sSzuBXcoEIB7b1Kf', 'toolu_01', 'a.b:c/d', '', 'ü'],
  'x'.repeat(80),
);
const name = fc.constantFrom('lookup', 'lookup', 'cancel order!', '7up', 'a.b', 'y'.repeat(90));
const call: fc.Arbitrary<ToolCall> = fc.record({
  id,
  name,
  arguments: fc.constantFrom({ id: 7 }, {}, null, [7], 'seven'),
});
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
  fc.record({ role: fc.constant('assistant' as const), content: text }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    toolCalls: fc.array(call, { maxLength: 3 }),
  }),
  fc.record({ role: fc.constant('tool' as const), toolCallId: id, name, content: text }),
);
/** Calls with their results, whole or torn, and in whatever order. */
const called: fc.Arbitrary<Message[]> = fc
  .record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }), said: text, given: text, order: fc.nat() })
  .map(({ calls, said, given, order }) => {
    const results = calls.map((each): Message => ({
      ...{ role: 'tool', toolCallId: each.id, name: each.name, content: given },
    }));
    const turned = order % 2 === 0 ? results : results.reverse();
    return [{ role: 'assistant', content: said, toolCalls: calls }, ...turned];
  });
const conversation: fc.Arbitrary<Message[]> = fc
  .record({
    parts: fc.array(
      fc.oneof(
        message.map((each) => [each]),
        called,
      ),
      { maxLength: 7 },
    ),
    from: fc.nat(4),
    lost: fc.nat(30),
  })
  // A window on it, of which one may have been taken out.
  .map(({ parts, from, lost }) =>
    parts
      .flat()
      .slice(from)
      .filter((_, i) => i !== lost),
  );

describe.each(models)('%s', (model) => {
  it('takes whatever conversation there is', async () => {
    const settings = model.startsWith('xai') ? { modelType: 'responses' as const } : {};
    await fc.assert(
      fc.asyncProperty(conversation, fc.option(text), async (messages, system) => {
        expect(await ask({ model, system, messages, tools: [lookup], settings })).toMatchObject({
          text: 'ok',
        });
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});

it('OpenAI takes them by Responses', async () => {
  await fc.assert(
    fc.asyncProperty(conversation, async (messages) => {
      await ask({ model: 'openai/gpt-x', messages, settings: { modelType: 'responses' } });
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

describe.each([
  ['strict', strictRules],
  ['loose', looseRules],
  ["Mistral's", rulesOf('mistral', 'small', strictRules)],
])('by %s rules', (_, rules) => {
  it('nothing that was said is lost, and what fits stays as it is', () => {
    fc.assert(
      fc.property(conversation, fc.option(text), (messages, system) => {
        const fitting = fitToProvider({ ...makeCall({}), system, messages }, rules);
        const there = [fitting.system, ...fitting.messages.map(({ content }) => content)].join('\n');
        for (const { role, content } of messages)
          if (role !== 'tool' && content.trim() !== '')
            expect(there).toContain(content.replace(/\ud83d/, '\ufffd'));
        expect(fitToProvider(fitting, rules)).toEqual(fitting);
      }),
    );
  });
});

const order = (ids: string[]): Message[] => [
  { role: 'user', content: 'Where are they?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: ids.map((each) => ({ id: each, name: 'lookup', arguments: {} })),
  },
  ...ids.map((each): Message => ({ role: 'tool', toolCallId: each, name: 'lookup', content: `of ${each}` })),
];

describe('ids of calls', () => {
  const foreign = ['call_4PkgzQd8sSzuBXcoEIB7b1Kf', 'functions.lookup:0', 'toolu_01A', 'abcdefgh1'];

  it.each([
    ['mistral/small', /^[a-zA-Z0-9]{9}$/],
    ['openai/mistral-small', /^[a-zA-Z0-9]{9}$/],
    ['anthropic/claude-x', /^[a-zA-Z0-9_-]+$/],
  ])('are those that %s takes, the same each time, and those that it knows stay', async (model, form) => {
    const idsOf = async (messages: Message[]): Promise<string[]> => {
      await ask({ model, messages, tools: [lookup] });
      return [...sent().matchAll(/"(?:id|tool_call_id|tool_use_id)":"([^"]+)"/g)].map(
        ([, each]) => each ?? '',
      );
    };
    const [first, second] = [
      await idsOf(order(foreign)),
      await idsOf([...order(foreign), ...order(['late1'])]),
    ];
    expect(second.slice(0, 4)).toEqual(first.slice(0, 4));
    expect(first.slice(4)).toEqual(first.slice(0, 4));
    expect(new Set(first).size).toBe(4);
    for (const each of first) expect(each).toMatch(form);
    expect(first).toContain('abcdefgh1');
  });

  it('of an answer are none that the run or the provider knows already', async () => {
    const messages = order(['functions.lookup:0']);
    await ask({ model: 'mistral/small', messages, tools: [lookup] });
    const [, translated = ''] = /"tool_call_id":"([^"]+)"/.exec(sent()) ?? [];
    provider.reply({
      toolCalls: ['functions.lookup:0', translated, 'abcdefgh2', ''].map((each) => ({
        ...{ id: each, name: 'lookup', arguments: '{}' },
      })),
    });
    const { toolCalls } = await ask({ model: 'mistral/small', messages, tools: [lookup] });
    provider.reply(() => ({ text: 'ok' }));
    expect(toolCalls.map((each) => each.id)).toEqual([
      ...['functions.lookup:0_2', `${translated}_2`, 'abcdefgh2'],
      'call',
    ]);
  });
});

describe('system messages in the middle', () => {
  const messages: Message[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'system', content: 'Answer in German.' },
    { role: 'user', content: 'Where is 7?' },
  ];

  it('are instructions where the provider takes none there', async () => {
    await ask({ model: 'anthropic/claude-x', system: 'Be brief.', messages });
    expect(provider.requests.at(-1)?.body['system']).toEqual([
      { type: 'text', text: 'Be brief.\n\nAnswer in German.' },
    ]);
  });

  it('stay where they are at OpenAI itself and in Azure', async () => {
    await ask({ model: 'azure/deployed', system: 'Be brief.', messages });
    expect(provider.requests.at(-1)?.body['messages']).toMatchObject([
      ...[{ content: 'Be brief.' }, { content: 'Hi' }, { content: 'Hello' }],
      ...[{ role: 'system', content: 'Answer in German.' }, { content: 'Where is 7?' }],
    ]);
  });
});

it('a window that opens on an answer, or ends with one, says so', async () => {
  await ask({ model: 'anthropic/claude-x', messages: [{ role: 'assistant', content: 'It is late.' }] });
  expect(provider.requests.at(-1)?.body['messages']).toMatchObject([
    { role: 'user', content: [{ text: '(Earlier messages are left out.)' }] },
    { role: 'assistant', content: [{ text: 'It is late.' }] },
    { role: 'user', content: [{ text: 'Continue.' }] },
  ]);
});
