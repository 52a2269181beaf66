import type { JsonObject } from '../../../src/contract/json/json.js';
import type { ModelAnswer, ProviderRequest } from '../provider-stand-in.js';
import { piecesOf } from './pieces-of.js';
import type { Protocol } from './protocol.js';
import { rawArguments } from './raw-arguments.js';

const reasons: Record<string, string> = { length: 'MAX_TOKENS', content_filter: 'SAFETY' };

/** Google's Gemini API. */
export const google: Protocol = {
  streamType: 'text/event-stream',
  isStreamed: ({ path }) => path.includes(':streamGenerateContent'),
  whole: (answer, request) => chunk(answer, request, [...textOf(answer), ...callsOf(answer)], true),
  pieces(answer, request) {
    const texts = piecesOf(answer.text ?? '').map((text) => chunk(answer, request, [{ text }], false));
    const chunks = [...texts, chunk(answer, request, callsOf(answer), true)];
    return chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`);
  },
};

function chunk(
  answer: ModelAnswer,
  { path }: ProviderRequest,
  parts: JsonObject[],
  isLast: boolean,
): JsonObject {
  const { input, output } = answer.usage ?? { input: 10, output: 5 };
  const finishReason = reasons[answer.finishReason ?? ''] ?? 'STOP';
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(isLast ? { finishReason } : {}) }],
    modelVersion: answer.model ?? /models\/([^:]+)/.exec(path)?.[1] ?? 'unknown',
    ...(isLast && answer.usage !== null
      ? {
          usageMetadata: {
            promptTokenCount: input,
            candidatesTokenCount: output,
            totalTokenCount: input + output,
          },
        }
      : {}),
  };
}

function textOf(answer: ModelAnswer): JsonObject[] {
  return answer.text === undefined ? [] : [{ text: answer.text }];
}

/** Arguments are JSON here, and no text. */
function callsOf(answer: ModelAnswer): JsonObject[] {
  return (answer.toolCalls ?? []).map(({ id, name, arguments: text }) => ({
    functionCall: { ...(id === undefined ? {} : { id }), name, args: rawArguments(text) },
  }));
}
