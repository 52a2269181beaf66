import type { JsonObject } from '../../../src/contract/json/json.js';
import type { ModelAnswer, ProviderRequest } from '../provider-stand-in.js';
import { piecesOf } from './pieces-of.js';
import { byField, type Protocol } from './protocol.js';

const created = 1_760_000_000;

/** What OpenAI calls Responses; xAI and Azure have it too. */
export const responses: Protocol = {
  ...byField,
  whole: (answer, request) => ({
    ...head(answer, request),
    status: statusOf(answer),
    ...incomplete(answer),
    output: itemsOf(answer),
    usage: usageOf(answer),
  }),
  pieces(answer, request) {
    const items = itemsOf(answer);
    const events: JsonObject[] = [
      { type: 'response.created', response: { ...head(answer, request), status: 'in_progress', output: [] } },
      ...items.flatMap((item, index) => eventsOf(item, index, answer)),
      {
        type: statusOf(answer) === 'completed' ? 'response.completed' : 'response.incomplete',
        response: {
          ...head(answer, request),
          status: statusOf(answer),
          ...incomplete(answer),
          output: items,
          usage: usageOf(answer),
        },
      },
    ];
    return events.map(
      (event, sequence_number) => `data: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
    );
  },
};

function head(answer: ModelAnswer, request: ProviderRequest): JsonObject {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: created,
    model: answer.model ?? request.body['model'] ?? 'unknown',
  };
}

function statusOf({ finishReason }: ModelAnswer): string {
  return finishReason === 'length' || finishReason === 'content_filter' ? 'incomplete' : 'completed';
}

function incomplete({ finishReason }: ModelAnswer): JsonObject {
  if (finishReason === 'length') return { incomplete_details: { reason: 'max_output_tokens' } };
  if (finishReason === 'content_filter') return { incomplete_details: { reason: 'content_filter' } };
  return {};
}

function itemsOf(answer: ModelAnswer): JsonObject[] {
  const searches = (answer.searches ?? []).map(({ query, url }, index): JsonObject => ({
    ...{ type: 'web_search_call', id: `ws_${index + 1}`, status: 'completed' },
    action: { type: 'search', query, sources: [{ type: 'url', url }] },
  }));
  const annotations = (answer.searches ?? []).map(({ query, url }): JsonObject => ({
    ...{ type: 'url_citation', start_index: 0, end_index: 1, url, title: `About ${query}` },
  }));
  const said = { type: 'output_text', text: answer.text ?? '', annotations };
  const part = answer.refusal === undefined ? said : { type: 'refusal', refusal: answer.refusal };
  const message: JsonObject = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [part],
  };
  const calls = (answer.toolCalls ?? []).map((call, index): JsonObject => ({
    type: 'function_call',
    id: `fc_${index + 1}`,
    call_id: call.id ?? `call_${index + 1}`,
    name: call.name,
    arguments: call.arguments,
    status: 'completed',
  }));
  const isSilent = answer.text === undefined && answer.refusal === undefined;
  return [...searches, ...(isSilent ? [] : [message]), ...calls];
}

function eventsOf(item: JsonObject, output_index: number, answer: ModelAnswer): JsonObject[] {
  const added = (begun: JsonObject): JsonObject => ({
    type: 'response.output_item.added',
    output_index,
    item: begun,
  });
  const done: JsonObject = { type: 'response.output_item.done', output_index, item };
  if (item['type'] === 'web_search_call') return [added(item), done];
  if (item['type'] === 'message')
    return [
      added({ ...item, content: [] }),
      ...annotationsIn(item).map((annotation): JsonObject => ({
        ...{ type: 'response.output_text.annotation.added', item_id: 'msg_1', output_index },
        ...{ content_index: 0, annotation_index: 0, annotation },
      })),
      ...piecesOf(answer.refusal ?? answer.text ?? '').map((delta): JsonObject => ({
        type: answer.refusal === undefined ? 'response.output_text.delta' : 'response.refusal.delta',
        ...{ item_id: 'msg_1', output_index, content_index: 0, delta },
      })),
      done,
    ];
  const delta = item['arguments'] ?? '';
  return [
    added({ ...item, arguments: '' }),
    { type: 'response.function_call_arguments.delta', item_id: item['id'] ?? '', output_index, delta },
    done,
  ];
}

function annotationsIn({ content }: JsonObject): JsonObject[] {
  const [part] = content as JsonObject[];
  return (part?.['annotations'] ?? []) as JsonObject[];
}

function usageOf(answer: ModelAnswer): JsonObject {
  const { input, output } = answer.usage ?? { input: 10, output: 5 };
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
}
