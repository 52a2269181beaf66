import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import type { ModelAnswer, ProviderRequest } from '../provider-stand-in.js';
import { piecesOf } from './pieces-of.js';
import { byField, type Protocol } from './protocol.js';
import { rawArguments } from './raw-arguments.js';

const stopReasons: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  paused: 'pause_turn',
};

/** Anthropic's Messages API. */
export const anthropic: Protocol = { ...byField, whole: messageOf, pieces: eventsOf };

function messageOf(answer: ModelAnswer, request: ProviderRequest): JsonObject {
  const said = saidIn(answer);
  return {
    ...envelope(answer, request),
    content: [
      ...searches(answer),
      ...(said === undefined ? [] : [{ type: 'text', text: said }]),
      ...toolUses(answer).map(({ input, ...use }) => ({ ...use, input: rawArguments(input) })),
    ],
    stop_reason: stopReason(answer),
    usage: usage(answer),
  };
}

function eventsOf(answer: ModelAnswer, request: ProviderRequest): string[] {
  const said = saidIn(answer);
  const pieces = piecesOf(said ?? '');
  const made = searches(answer);
  const text: JsonObject[] =
    said === undefined
      ? []
      : [
          { type: 'content_block_start', index: made.length, content_block: { type: 'text', text: '' } },
          ...pieces.map((piece) => ({
            type: 'content_block_delta',
            index: made.length,
            delta: { type: 'text_delta', text: piece },
          })),
          { type: 'content_block_stop', index: made.length },
        ];
  const searched = made.flatMap((block, index): JsonObject[] => [
    {
      ...{ type: 'content_block_start', index },
      content_block: 'input' in block ? { ...block, input: {} } : block,
    },
    ...('input' in block
      ? [
          {
            ...{ type: 'content_block_delta', index },
            delta: { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
          },
        ]
      : []),
    { type: 'content_block_stop', index },
  ]);
  const first = made.length + (text.length === 0 ? 0 : 1);
  const tools = toolUses(answer).flatMap(({ input, ...use }, i): JsonObject[] => [
    { type: 'content_block_start', index: first + i, content_block: { ...use, input: {} } },
    {
      type: 'content_block_delta',
      index: first + i,
      delta: { type: 'input_json_delta', partial_json: input },
    },
    { type: 'content_block_stop', index: first + i },
  ]);
  const events: JsonObject[] = [
    {
      type: 'message_start',
      message: {
        ...envelope(answer, request),
        content: [],
        stop_reason: null,
        usage: { ...usage(answer), output_tokens: 1 },
      },
    },
    ...searched,
    ...text,
    ...tools,
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: usage(answer),
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event['type'] as string}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** What the provider has done itself. */
function searches({ searches: made = [] }: ModelAnswer): JsonObject[] {
  return made.flatMap(({ query, url }, i) => {
    const found = {
      type: 'web_search_result',
      url,
      title: `About ${query}`,
      encrypted_content: 'x',
      page_age: null,
    };
    return [
      { type: 'server_tool_use', id: `srvtoolu_${i + 1}`, name: 'web_search', input: { query } },
      { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${i + 1}`, content: [found] },
    ];
  });
}

/** Refusals have no field of their own here. */
function saidIn({ text, refusal }: ModelAnswer): string | undefined {
  return refusal ?? text;
}

function envelope(answer: ModelAnswer, request: ProviderRequest): JsonObject {
  const model = answer.model ?? request.body['model'] ?? 'unknown';
  return { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null };
}

function toolUses(answer: ModelAnswer): { type: string; id: string; name: string; input: string }[] {
  return (answer.toolCalls ?? []).map((call, i) => ({
    type: 'tool_use',
    id: call.id ?? `toolu_${i + 1}`,
    name: call.name,
    input: call.arguments,
  }));
}

function stopReason(answer: ModelAnswer): JsonValue {
  if (answer.finishReason !== undefined)
    return answer.finishReason === null ? null : (stopReasons[answer.finishReason] ?? answer.finishReason);
  if (answer.refusal !== undefined) return 'refusal';
  return answer.toolCalls === undefined ? 'end_turn' : 'tool_use';
}

function usage(answer: ModelAnswer): JsonObject {
  const { input, output } = answer.usage ?? { input: 10, output: 5 };
  return { input_tokens: input, output_tokens: output };
}
