import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import { recordedAnswer } from '../../../support/recorded-answer.js';
import type { Said } from './conversation.js';

type Recorded = ReturnType<typeof recordedAnswer>;

/** A protocol that models are asked by, with what its providers answer. */
export interface SpokenProtocol {
  name: string;
  /** How an agent says so, in Lua. */
  agent: string;
  /** What errors call the model. */
  model: string;
  /** Too many requests, an error of the server, and a request that is wrong. */
  busy: Recorded;
  broken: Recorded;
  refused: Recorded;
  /** What the model was sent. */
  said(body: JsonObject): Said[];
}

const openai = {
  model: 'openai/gpt-x',
  busy: recordedAnswer('openai-429-rate-limit'),
  broken: recordedAnswer('openai-500'),
  refused: recordedAnswer('openai-400-schema'),
};

/** Text, or pieces that have some. */
type Content = string | { text: string }[] | null | undefined;

interface ChatMessage {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export const chatCompletions: SpokenProtocol = {
  ...openai,
  name: 'Chat Completions',
  agent: 'model = "openai/gpt-x"',
  said: ({ messages: sent }) =>
    (sent as unknown as ChatMessage[]).flatMap(
      ({ role, content, tool_calls: calls = [], tool_call_id: of }) => [
        ...(of === undefined ? textIn(role, content) : [{ resultOf: of, text: content ?? '' }]),
        ...calls.map(({ id, function: called }) => callOf(id, called.name, JSON.parse(called.arguments))),
      ],
    ),
};

type InputItem =
  | { type?: undefined; role: string; content: Content }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string };

export const responses: SpokenProtocol = {
  ...openai,
  name: 'Responses',
  agent: 'model = "openai/gpt-x", model_type = "responses"',
  said: ({ input }) =>
    (input as unknown as InputItem[]).flatMap((item) => {
      if (item.type === undefined) return textIn(item.role, item.content);
      if (item.type === 'function_call_output') return [{ resultOf: item.call_id, text: item.output }];
      return [callOf(item.call_id, item.name, JSON.parse(item.arguments))];
    }),
};

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonValue }
  | { type: 'tool_result'; tool_use_id: string; content: string };

export const messages: SpokenProtocol = {
  name: 'Messages',
  agent: 'model = "anthropic/claude-x"',
  model: 'anthropic/claude-x',
  busy: recordedAnswer('anthropic-429'),
  broken: recordedAnswer('anthropic-500'),
  refused: recordedAnswer('anthropic-400'),
  said: ({ system, messages: sent }) => [
    ...textIn('system', system as unknown as Content),
    ...(sent as unknown as { role: string; content: Block[] }[]).flatMap(({ role, content }) =>
      content.flatMap((block) => {
        if (block.type === 'text') return textIn(role, block.text);
        if (block.type === 'tool_result') return [{ resultOf: block.tool_use_id, text: block.content }];
        return [callOf(block.id, block.name, block.input)];
      }),
    ),
  ],
};

export const protocols = [chatCompletions, responses, messages];

function textIn(by: string, content: Content): Said[] {
  if (typeof content === 'string') return [{ by, text: content }];
  return (content ?? []).map(({ text }) => ({ by, text }));
}

function callOf(call: string, name: string, given: unknown): Said {
  return { call, name, arguments: given as JsonValue };
}
