import { expect, it } from 'vitest';
import type { ModelCall } from '../../../src/contract/models/model-call.js';
import { scriptedAnswer, scriptLines } from '../../../src/playground/models/scripted-model.js';

const call: ModelCall = {
  ...{ agent: 'a', model: null, system: null, tools: [], outputSchema: null, settings: {} },
  messages: [{ role: 'user', content: 'How are you?' }],
};
const tool = {
  name: 'lookup',
  description: 'looks up',
  parameters: {
    type: 'object',
    properties: {
      id: { type: 'string', enum: ['A-7', 'B-1'] },
      count: { type: 'integer' },
      tags: { type: 'array', items: { type: 'boolean' } },
      rest: { type: ['null', 'object'], properties: {} },
      note: { type: 'string', default: 'none' },
    },
  },
};

it('answers by the lines of its script, in order', () => {
  const script = scriptLines(
    '\n  Fine. \n{"tool": "lookup", "arguments": {"id": "B-1"}}\n{"amount": 3}\n{"tool": \n',
  );
  expect(script).toHaveLength(4);
  expect(scriptedAnswer(call, script, 0)).toMatchObject({
    text: 'Fine.',
    toolCalls: [],
    finishReason: 'stop',
  });
  expect(scriptedAnswer(call, script, 1)).toMatchObject({
    toolCalls: [{ name: 'lookup', arguments: { id: 'B-1' } }],
    finishReason: 'tool_calls',
  });
  expect(scriptedAnswer(call, script, 2)).toMatchObject({ text: '{"amount": 3}', toolCalls: [] });
  expect(scriptedAnswer(call, script, 3)).toMatchObject({ text: '{"tool":', toolCalls: [] });
});

it('without one it calls each tool once with arguments that fit, then answers what is asked for', () => {
  const first = scriptedAnswer({ ...call, tools: [tool] }, [], 0);
  expect(first.toolCalls).toMatchObject([
    { name: 'lookup', arguments: { id: 'A-7', count: 42, tags: [true], rest: {}, note: 'none' } },
  ]);
  const used = { role: 'tool', toolCallId: 'c', name: 'lookup', content: '1' } as const;
  const messages = [...call.messages, used];
  expect(scriptedAnswer({ ...call, tools: [tool], messages }, [], 1)).toMatchObject({
    text: expect.stringContaining('How are you?') as string,
    toolCalls: [],
  });
  const outputSchema = { type: 'object', properties: { sure: { type: 'boolean' } } };
  expect(scriptedAnswer({ ...call, outputSchema }, [], 0).text).toBe('{"sure":true}');
});
