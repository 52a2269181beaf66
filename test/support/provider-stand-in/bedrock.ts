import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { JsonObject } from '../../../src/contract/json/json.js';
import type { ModelAnswer } from '../provider-stand-in.js';
import { piecesOf } from './pieces-of.js';
import type { Protocol } from './protocol.js';
import { rawArguments } from './raw-arguments.js';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** Amazon Bedrock's Converse API, whose streams are binary. */
export const bedrock: Protocol = {
  streamType: 'application/vnd.amazon.eventstream',
  isStreamed: ({ path }) => path.endsWith('/converse-stream'),
  whole: (answer) => ({
    output: { message: { role: 'assistant', content: [...textOf(answer), ...callsOf(answer)] } },
    stopReason: stopReason(answer),
    usage: usageOf(answer),
    metrics: { latencyMs: 1 },
  }),
  pieces(answer) {
    const calls = answer.toolCalls ?? [];
    return [
      event('messageStart', { role: 'assistant' }),
      ...piecesOf(answer.text ?? '').map((text) =>
        event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
      ),
      event('contentBlockStop', { contentBlockIndex: 0 }),
      ...calls.flatMap(({ id, name, arguments: input }, index) => {
        const contentBlockIndex = index + 1;
        const toolUse = { toolUseId: id ?? `call_${index + 1}`, name };
        return [
          event('contentBlockStart', { contentBlockIndex, start: { toolUse } }),
          event('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input } } }),
          event('contentBlockStop', { contentBlockIndex }),
        ];
      }),
      event('messageStop', { stopReason: stopReason(answer) }),
      event('metadata', { usage: usageOf(answer), metrics: { latencyMs: 1 } }),
    ];
  },
};

function event(type: string, body: JsonObject): Uint8Array {
  const header = (value: string) => ({ type: 'string' as const, value });
  return codec.encode({
    headers: {
      ':event-type': header(type),
      ':content-type': header('application/json'),
      ':message-type': header('event'),
    },
    body: Buffer.from(JSON.stringify(body)),
  });
}

function textOf(answer: ModelAnswer): JsonObject[] {
  return answer.text === undefined ? [] : [{ text: answer.text }];
}

function callsOf(answer: ModelAnswer): JsonObject[] {
  return (answer.toolCalls ?? []).map(({ id, name, arguments: text }, index) => ({
    toolUse: { toolUseId: id ?? `call_${index + 1}`, name, input: rawArguments(text) },
  }));
}

function stopReason({ finishReason, toolCalls }: ModelAnswer): string {
  if (finishReason === 'length') return 'max_tokens';
  if (finishReason === 'content_filter') return 'content_filtered';
  return toolCalls === undefined ? 'end_turn' : 'tool_use';
}

function usageOf(answer: ModelAnswer): JsonObject {
  const { input, output } = answer.usage ?? { input: 10, output: 5 };
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}
