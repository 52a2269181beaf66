import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import type { ModelAnswer, ProviderRequest } from '../provider-stand-in.js';
import { piecesOf } from './pieces-of.js';
import { byField, type Protocol } from './protocol.js';

const created = 1_760_000_000;

/** OpenAI's Chat Completions, which most others speak too. */
export const chatCompletions: Protocol = {
  ...byField,
  whole: completion,
  pieces: (answer, request) =>
    events([
      ...chunksOf(answer, request),
      ...(answer.usage === null ? [] : [{ ...chunkOf(answer, request, {}), choices: [], ...usage(answer) }]),
    ]),
};

/** Mistral counts tokens in the last piece of the answer, */
export const mistral: Protocol = { ...chatCompletions, pieces: countedLast((answer) => usage(answer)) };

/** and so does Groq, in a field of its own. */
export const groq: Protocol = {
  ...chatCompletions,
  pieces: countedLast((answer) => ({ x_groq: usage(answer) })),
};

function countedLast(count: (answer: ModelAnswer) => JsonObject): Protocol['pieces'] {
  return (answer, request) => {
    const chunks = chunksOf(answer, request);
    return events([...chunks.slice(0, -1), { ...chunks.at(-1), ...count(answer) }]);
  };
}

function events(chunks: readonly JsonObject[]): string[] {
  return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]\n\n'];
}

function completion(answer: ModelAnswer, request: ProviderRequest): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created,
    model: modelOf(answer, request),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.refusal === undefined ? (answer.text ?? null) : null,
          ...(answer.refusal === undefined ? {} : { refusal: answer.refusal }),
          ...(answer.toolCalls === undefined ? {} : { tool_calls: toolCalls(answer, false) }),
        },
        ...finish(answer),
      },
    ],
    ...usage(answer),
  };
}

function chunkOf(
  answer: ModelAnswer,
  request: ProviderRequest,
  delta: JsonObject,
  rest: JsonObject = { finish_reason: null },
): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created,
    model: modelOf(answer, request),
    choices: [{ index: 0, delta, ...rest }],
  };
}

function chunksOf(answer: ModelAnswer, request: ProviderRequest): JsonObject[] {
  const chunk = (delta: JsonObject, rest?: JsonObject): JsonObject => chunkOf(answer, request, delta, rest);
  return [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(answer.text ?? '').map((content) => chunk({ content })),
    ...(answer.refusal === undefined ? [] : [chunk({ refusal: answer.refusal })]),
    ...toolCalls(answer, true).map((call) => chunk({ tool_calls: [call] })),
    chunk({}, finish(answer)),
  ];
}

function modelOf(answer: ModelAnswer, request: ProviderRequest): JsonValue {
  return answer.model ?? request.body['model'] ?? 'unknown';
}

function toolCalls(answer: ModelAnswer, withIndex: boolean): JsonObject[] {
  return (answer.toolCalls ?? []).map((call, index) => ({
    ...(withIndex ? { index } : {}),
    id: call.id ?? `call_${index + 1}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
}

function finish(answer: ModelAnswer): JsonObject {
  const reason =
    answer.finishReason === undefined
      ? answer.toolCalls === undefined
        ? 'stop'
        : 'tool_calls'
      : answer.finishReason;
  return { finish_reason: reason };
}

function usage(answer: ModelAnswer): JsonObject {
  if (answer.usage === null) return {};
  const { input, output } = answer.usage ?? { input: 10, output: 5 };
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } };
}
