import type { ModelAnswer } from '../../../support/provider-stand-in.js';
import { good, goodDay, type Asked, type FaultyAnswer } from './faulty-answer.js';
import { messages } from './protocols.js';

const tools = { agent: 'tools = { lookup }' } as const;

/** Calls of `lookup` with these arguments, as the model wrote them, and ids of their own. */
function calling(...given: string[]): ModelAnswer {
  const idOf = (text: string): string => `call_${text.replace(/\W/g, '')}`;
  return { toolCalls: given.map((text) => ({ id: idOf(text), name: 'lookup', arguments: text })) };
}

/** Calls of orders that all have one id. */
function callingAlike(...ids: number[]): ModelAnswer {
  return { toolCalls: ids.map((id) => ({ id: 'same', name: 'lookup', arguments: order(id) })) };
}

const order = (id: number): string => JSON.stringify({ id });
const late = (id: number): string => `Order ${id} is late`;
const refusal = (message: string): string => JSON.stringify({ error: message });

/** Calls of `lookup` that are right, and their results, numbered from `first`. */
function lookedUp(ids: number[], first = 1): string[] {
  return [
    ...ids.map((id, i) => `call ${first + i} lookup ${order(id)}`),
    ...ids.map((id, i) => `result ${first + i}: ${late(id)}`),
  ];
}

/** One call of a tool that can't be done, and what the model is told of it. */
function refused(
  name: string,
  call: { name?: string; given: string; shown?: (asked: Asked) => string; told: string },
  where?: FaultyAnswer['where'],
): FaultyAnswer {
  const { name: tool = 'lookup', given, shown = () => given, told } = call;
  return {
    ...{ name, ...tools, ...(where === undefined ? {} : { where }) },
    answers: () => [{ toolCalls: [{ id: 'call_1', name: tool, arguments: given }] }, good],
    ...{ ends: goodDay, attempts: [1, 1], paid: () => 2 },
    told: (asked) => [[`call 1 ${tool} ${shown(asked)}`, `result 1: ${refusal(told)}`]],
  };
}

const hundred = Array.from({ length: 100 }, (_, i) => i);

const wasCut = {
  length: 'was cut off at its limit of tokens',
  content_filter: "was stopped by the provider's filter",
} as const;

/** What a model is told of each call in an answer that was cut off. */
const notMade = (reason: keyof typeof wasCut): string =>
  refusal(
    `your answer ${wasCut[reason]}, so none of its calls was made; if it is still needed, call again, with less at once`,
  );

/** A call that reads as if it were whole, in an answer that isn't. */
function cutOff(reason: keyof typeof wasCut): FaultyAnswer[] {
  const finishReason = { finishReason: reason };
  return [
    {
      name: `a call in an answer that ended by ${reason}`,
      ...tools,
      answers: () => [{ ...calling(order(7)), ...finishReason }, good],
      ...{ ends: goodDay, attempts: [1, 1], paid: () => 2 },
      told: () => [[`call 1 lookup ${order(7)}`, `result 1: ${notMade(reason)}`]],
    },
    {
      name: `calls after words in an answer that ended by ${reason}, and then a whole one`,
      ...tools,
      answers: () => [
        { text: 'Let me see.', ...calling(order(1), '{}'), ...finishReason },
        calling(order(2)),
        good,
      ],
      ...{ ends: goodDay, attempts: [1, 1, 1], paid: () => 3 },
      told: () => [
        [
          'assistant: Let me see.',
          ...[`call 1 lookup ${order(1)}`, 'call 2 lookup {}'],
          ...[`result 1: ${notMade(reason)}`, `result 2: ${notMade(reason)}`],
        ],
        lookedUp([2], 3),
      ],
    },
    {
      name: `done, in an answer that ended by ${reason}`,
      agent: 'tools = { done }',
      answers: () => [
        { toolCalls: [{ id: 'd', name: 'done', arguments: '{"reason":"paid"}' }], ...finishReason },
        good,
      ],
      ...{ ends: goodDay, attempts: [1, 1], paid: () => 2 },
      told: () => [['call 1 done {"reason":"paid"}', `result 1: ${notMade(reason)}`]],
    },
    {
      name: `calls in answers that all end by ${reason}`,
      ...tools,
      answers: () => [1, 2, 3, 4].map((id) => ({ ...calling(order(id)), ...finishReason })),
      ends: ({ protocol }) => ({
        code: 'model_call_failed',
        message: `helper: the answer of ${protocol.model}, which calls tools, ${wasCut[reason]} 3 times in a row${reason === 'length' ? ': raise max_tokens' : ''}`,
      }),
      ...{ attempts: [1, 1, 1], paid: () => 3 },
      told: () => [1, 2].map((id) => [`call ${id} lookup ${order(id)}`, `result ${id}: ${notMade(reason)}`]),
    },
  ];
}

/** Calls of tools that can't be done as the model asks for them. */
export const toolCalls: FaultyAnswer[] = [
  ...cutOff('length'),
  ...cutOff('content_filter'),
  refused('a tool that does not exist', {
    ...{ name: 'cancel', given: order(7), told: 'there is no tool cancel; there are: lookup' },
  }),
  refused(
    'arguments that are no JSON',
    {
      ...{ given: '{"id": 7', told: 'the arguments are no JSON: {"id": 7' },
      shown: () => JSON.stringify({ invalid: '{"id": 7' }),
    },
    // At once, this protocol has arguments as JSON.
    ({ protocol, isStreamed }) => isStreamed || protocol !== messages,
  ),
  refused('an argument of the wrong type', {
    ...{ given: '{"id":"seven"}', told: 'Field id must be an integer, got the string "seven"' },
  }),
  refused('an argument too few', { given: '{}', told: 'Missing required field: id' }),
  refused('arguments that are a list', {
    ...{ given: '[7]', told: 'Expected an object with the fields id, got an array' },
    // It takes objects alone.
    shown: ({ protocol }) => (protocol === messages ? '{"rawInvalidInput":[7]}' : '[7]'),
  }),
  {
    name: 'a wrong argument, which the model mends',
    ...tools,
    answers: () => [calling('{"id":"seven"}'), calling(order(7)), good],
    ...{ ends: goodDay, attempts: [1, 1, 1], paid: () => 3 },
    told: () => [
      [
        'call 1 lookup {"id":"seven"}',
        `result 1: ${refusal('Field id must be an integer, got the string "seven"')}`,
      ],
      lookedUp([7], 2),
    ],
  },
  {
    name: 'a hundred calls at once',
    ...tools,
    answers: () => [calling(...hundred.map(order)), good],
    ...{ ends: goodDay, attempts: [1, 1], paid: () => 2, told: () => [lookedUp(hundred)] },
  },
  {
    name: 'calls of which some are wrong',
    ...tools,
    answers: () => {
      const [one, two] = calling(order(1), order(2)).toolCalls ?? [];
      const wrong = { id: 'call_w', name: 'cancel', arguments: order(3) };
      return [
        { text: 'Let me see.', toolCalls: [one, wrong, two].filter((call) => call !== undefined) },
        good,
      ];
    },
    ...{ ends: goodDay, attempts: [1, 1], paid: () => 2 },
    told: () => [
      [
        'assistant: Let me see.',
        ...['call 1 lookup {"id":1}', 'call 2 cancel {"id":3}', 'call 3 lookup {"id":2}'],
        `result 1: ${late(1)}`,
        `result 2: ${refusal('there is no tool cancel; there are: lookup')}`,
        `result 3: ${late(2)}`,
      ],
    ],
  },
  {
    name: 'one id for several calls',
    ...tools,
    answers: () => [callingAlike(1, 2, 3), good],
    ...{ ends: goodDay, attempts: [1, 1], paid: () => 2, told: () => [lookedUp([1, 2, 3])] },
  },
  {
    name: 'the id of a call before',
    ...tools,
    answers: () => [callingAlike(1), callingAlike(2, 3), callingAlike(4), good],
    ...{ ends: goodDay, attempts: [1, 1, 1, 1], paid: () => 4 },
    told: () => [lookedUp([1]), lookedUp([2, 3], 2), lookedUp([4], 4)],
  },
  {
    name: 'calls without an end',
    agent: `${tools.agent}, max_tool_followup_rounds = 2`,
    answers: () => [calling(order(1)), calling(order(2)), calling(order(3)), good],
    ends: () => ({
      code: 'model_call_failed',
      message: 'helper still calls tools after 3 rounds of one turn',
    }),
    ...{ attempts: [1, 1, 1], paid: () => 3, told: () => [lookedUp([1]), lookedUp([2], 2)] },
  },
];
