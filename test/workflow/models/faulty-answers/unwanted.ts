import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import type { Answer } from '../../../support/provider-stand-in.js';
import { failing, forEver, good, nothing, type Asked, type End, type FaultyAnswer } from './faulty-answer.js';
import { chatCompletions, responses } from './protocols.js';

const structured = { agent: 'output = { n = field.integer{required = true} }' } as const;
const mended = (): End => ({ result: { n: 1 } });
const right = { text: '{"n":1}' };
const wrong = { text: '{"n":"many"}' };

/** What a model is told of an answer that doesn't follow its schema. */
function correction({ protocol }: Asked, said: string, mistake: string): string[] {
  return [
    `assistant: ${said}`,
    `user: That answer can't be used: ${protocol.model} ${mistake}. Answer again, with JSON that follows the schema and nothing else.`,
  ];
}

const mistake = `didn't follow the output schema: #/n: Instance type "string" is invalid. Expected "integer"`;
const huge = 'x'.repeat(3_000_000);
const refusal = 'I can’t help with that.';

/** An answer that came too large is paid for; a stream of it is left before it says what it cost. */
const tooLarge: Pick<FaultyAnswer, 'ends' | 'attempts' | 'paid'> = {
  ends: () => ({
    code: 'payload_too_large',
    message: /is 3\.0 MB; at most 1\.5 MB can be recorded$|^The answer is longer than can be recorded$/,
  }),
  attempts: [1],
  paid: ({ isStreamed }) => (isStreamed ? 0 : 1),
};

/** Events of a stream that has no content, or an answer without. */
function empty({ protocol, isStreamed }: Asked): Answer {
  if (protocol === chatCompletions && isStreamed)
    return {
      ...{ status: 200, headers: { 'content-type': 'text/event-stream' } },
      body: 'data: {"id":"chatcmpl-1","choices":[]}\n\ndata: [DONE]\n\n',
    };
  if (protocol === chatCompletions) return { json: { id: 'chatcmpl-1', model: 'gpt-x', choices: [] } };
  const usage = { input_tokens: 10, output_tokens: 0 };
  if (protocol === responses)
    return { json: { id: 'resp_1', created_at: 0, model: 'gpt-x', status: 'completed', usage } };
  return {
    json: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      stop_reason: 'end_turn',
      usage,
    },
  };
}

/** What models say around the JSON that they were asked for, whose server takes no schema. */
const around = {
  'in a fence': '```json\n{"n":1}\n```',
  'after a thought': '<think>\nIs it {n}, or {"n":2}?\n</think>\n\n{"n":1}',
  'after a thought, in a fence': '<think>\nHm.\n</think>\n```json\n{"n":1}\n```',
  'after the end of a thought': 'Hm, {"n":2}.\n</think>\n{"n":1}',
  'in prose': 'Sure! Here is the JSON:\n```json\n{"n":1}\n```\nAnything else?',
  'after a draft': 'First {"m":3}, then {"n":2}; no: {"n":1}.',
};

/** Of Chat Completions, as the provider writes it. */
const written = (message: JsonObject, finish_reason: string): Answer => ({
  json: {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-x' },
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
});
const isWholeChat = ({ protocol, isStreamed }: Asked): boolean => protocol === chatCompletions && !isStreamed;
const callingWith = (given: JsonValue): Answer =>
  written(
    { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: given } }] },
    'tool_calls',
  );

const chunk = (choices: JsonValue, more: JsonObject = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-x', choices, ...more })}\n\n`;
const streamedCall = {
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'lookup', arguments: { id: 7 } },
};
const streamedObject: Answer = {
  ...{ status: 200, headers: { 'content-type': 'text/event-stream' } },
  body: [
    chunk([{ index: 0, delta: { role: 'assistant', tool_calls: [streamedCall] }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
    chunk([], { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
    'data: [DONE]\n\n',
  ].join(''),
};

/** Answers that are well made, and not what was asked for. */
export const unwanted: FaultyAnswer[] = [
  ...Object.entries(around).map(([where, text]): FaultyAnswer => ({
    name: `fields ${where}`,
    ...structured,
    answers: () => [{ text }],
    ...{ ends: mended, attempts: [1] },
  })),
  {
    name: 'a thought before words',
    answers: () => [{ text: '<think>\nThey greet me.\n</think>\n\nGood day' }],
    ...{ ends: () => ({ result: 'Good day' }), attempts: [1] },
  },
  {
    name: 'a thought, and no words: for ever',
    answers: () => forEver({ text: '<think>\nHm.\n</think>\n' }),
    ends: failing('thought, and answered nothing (attempt 3 of 3)'),
    ...{ attempts: [3], paid: () => 3 },
  },
  {
    name: 'a thought that ends at the limit of tokens',
    answers: () => [{ text: '<think>\nThey greet me, and', finishReason: 'length' }],
    ends: failing('used up its limit of tokens before it said anything: raise max_tokens'),
    attempts: [1],
  },
  {
    name: 'an end for calls, and none of them, for ever',
    agent: 'tools = { lookup }',
    where: isWholeChat,
    answers: () => forEver(written({ content: '', tool_calls: [] }, 'tool_calls')),
    ends: failing('ended its answer to call a tool, and called none (attempt 3 of 3)'),
    ...{ attempts: [3], paid: () => 3 },
  },
  {
    name: 'an end for calls, and words alone',
    agent: 'tools = { lookup }',
    where: isWholeChat,
    answers: () => [written({ content: 'Good day', tool_calls: [] }, 'tool_calls')],
    ...{ ends: () => ({ result: 'Good day' }), attempts: [1] },
  },
  {
    name: 'arguments as an object',
    agent: 'tools = { lookup }',
    where: isWholeChat,
    answers: () => [callingWith({ id: 7 }), good],
    ...{ ends: () => ({ result: good.text }), attempts: [1, 1], paid: () => 2 },
    told: () => [['call 1 lookup {"id":7}', 'result 1: Order 7 is late']],
  },
  {
    name: 'no arguments at all',
    agent: 'tools = { lookup }',
    where: isWholeChat,
    answers: () => [callingWith(null), good],
    ...{ ends: () => ({ result: good.text }), attempts: [1, 1], paid: () => 2 },
    told: () => [['call 1 lookup {}', 'result 1: {"error":"Missing required field: id"}']],
  },
  {
    name: 'arguments as an object, in a stream',
    agent: 'tools = { lookup }',
    where: ({ protocol, isStreamed }) => protocol === chatCompletions && isStreamed,
    answers: () => [streamedObject, good],
    ...{ ends: () => ({ result: good.text }), attempts: [1, 1], paid: () => 2 },
    told: () => [['call 1 lookup {"id":7}', 'result 1: Order 7 is late']],
  },
  {
    name: 'a text of 3 MB',
    answers: () => [{ text: huge }, good],
    ...tooLarge,
  },
  {
    name: 'arguments of 3 MB',
    agent: 'tools = { lookup }',
    answers: () => [{ toolCalls: [{ name: 'lookup', arguments: JSON.stringify({ id: huge }) }] }, good],
    ...tooLarge,
  },
  {
    name: 'an empty text',
    answers: () => [{ text: '' }, good],
    ...{ ends: () => ({ result: '' }), attempts: [1] },
  },
  {
    name: 'no text',
    answers: () => [{}, good],
    ...{ ends: () => ({ result: '' }), attempts: [1] },
  },
  {
    name: 'no choices, no output, no content: for ever',
    where: ({ protocol, isStreamed }) => !isStreamed || protocol === chatCompletions,
    answers: (asked) => forEver(empty(asked)),
    ends: () => ({
      code: 'model_call_failed',
      message:
        /: (gave a broken answer|answered 200, but not in the provider's format): .* \(attempt 3 of 3\)$/,
    }),
    ...{ attempts: [3], paid: nothing },
  },
  {
    name: 'nothing within the limit of tokens',
    answers: () => [{ text: '', finishReason: 'length' }, good],
    ends: failing('used up its limit of tokens before it said anything: raise max_tokens'),
    attempts: [1],
  },
  {
    name: 'a refusal',
    answers: () => [{ refusal }, good],
    ...{ ends: () => ({ result: refusal }), attempts: [1] },
  },
  {
    name: 'a refusal where fields are asked for',
    ...structured,
    answers: () => [{ refusal }, right],
    ends: () => ({
      code: 'model_call_failed',
      message: `the model's answer is no JSON (it ended by content_filter): ${refusal}`,
    }),
    attempts: [1],
  },
  {
    name: 'a filter that stops the answer',
    answers: () => [{ text: 'The first', finishReason: 'content_filter' }, good],
    ...{ ends: () => ({ result: 'The first' }), attempts: [1] },
  },
  {
    name: 'another type than asked for, mended once',
    ...structured,
    answers: () => [wrong, right],
    ...{ ends: mended, attempts: [1, 1], paid: () => 2 },
    told: (asked) => [correction(asked, wrong.text, mistake)],
  },
  {
    name: 'another type than asked for, never mended',
    ...structured,
    answers: () => forEver(wrong),
    ends: ({ protocol }) => ({
      code: 'model_call_failed',
      message: `helper: ${protocol.model} ${mistake}, after it was told so 2 times`,
    }),
    ...{ attempts: [1, 1, 1], paid: () => 3 },
    told: (asked) => [correction(asked, wrong.text, mistake), correction(asked, wrong.text, mistake)],
  },
  {
    name: 'a misspelt field, mended once',
    ...structured,
    answers: () => [{ text: '{"m":1}' }, right],
    ...{ ends: mended, attempts: [1, 1], paid: () => 2 },
    told: (asked) => [
      correction(
        asked,
        '{"m":1}',
        `didn't follow the output schema: #: Instance does not have required property "n"; #/m: isn't asked for`,
      ),
    ],
  },
  {
    name: 'text where fields are asked for, mended once',
    ...structured,
    answers: () => [{ text: 'One, I think.' }, right],
    ...{ ends: mended, attempts: [1, 1], paid: () => 2 },
    told: (asked) => [correction(asked, 'One, I think.', 'answered with text where JSON was asked for')],
  },
  {
    name: 'nothing where fields are asked for, mended once',
    ...structured,
    answers: () => [{ text: '' }, right],
    ...{ ends: mended, attempts: [1, 1], paid: () => 2 },
    told: (asked) => [correction(asked, '(nothing)', 'answered with nothing where JSON was asked for')],
  },
  {
    name: 'a mended answer after an error',
    ...structured,
    answers: ({ protocol }) => [protocol.broken, wrong, protocol.broken, protocol.broken, right],
    ...{ ends: mended, attempts: [2, 3], paid: () => 2 },
    told: (asked) => [correction(asked, wrong.text, mistake)],
  },
  {
    name: 'half of the fields at the limit of tokens',
    ...structured,
    answers: () => [{ text: '{"n":', finishReason: 'length' }, right],
    ends: failing('was cut off at its limit of tokens before its JSON was complete'),
    attempts: [1],
  },
];
