import type { JsonObject, JsonValue } from '../../../src/contract/json.js';
import type { ModelAnswer, ProviderRequest } from '../provider-stand-in.js';
import { piecesOf } from './pieces-of.js';

const created = 1_760_000_000;

/** The answer as a chat completion. */
export function openAiCompletion(answer: ModelAnswer, request: ProviderRequest): JsonObject {
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

/** The answer as the events of a streamed chat completion. */
export function openAiChunks(answer: ModelAnswer, request: ProviderRequest): string[] {
  const chunk = (delta: JsonObject, rest: JsonObject = { finish_reason: null }): JsonObject => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created,
    model: modelOf(answer, request),
    choices: [{ index: 0, delta, ...rest }],
  });
  const pieces = piecesOf(answer.text ?? '');
  const chunks: JsonObject[] = [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    ...(answer.refusal === undefined ? [] : [chunk({ refusal: answer.refusal })]),
    ...toolCalls(answer, true).map((call) => chunk({ tool_calls: [call] })),
    chunk({}, finish(answer)),
    ...(answer.usage === null ? [] : [{ ...chunk({}), choices: [], ...usage(answer) }]),
  ];
  return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]\n\n'];
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
