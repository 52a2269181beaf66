import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';

/** One message of a request, whatever the protocol. */
export interface Turn {
  role: string;
  texts: string[];
  calls: { id: string; name: string }[];
  /** Ids of the calls that its results are of. */
  results: string[];
}

export type TurnsOf = (body: JsonObject) => Turn[];

const objects = (value: JsonValue | undefined): JsonObject[] => (value ?? []) as JsonObject[];
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const blank = { texts: [], calls: [], results: [] };

/** Chat Completions. */
export const chatTurns: TurnsOf = ({ messages }) =>
  objects(messages).map(({ role, content, tool_calls: calls, tool_call_id: of }) => ({
    role: text(role),
    texts:
      typeof content === 'string' ? [content] : objects(content ?? []).map(({ text: piece }) => text(piece)),
    calls: objects(calls).map(({ id, function: called }) => ({
      id: text(id),
      name: text((called as JsonObject)['name']),
    })),
    results: of === undefined ? [] : [text(of)],
  }));

/** Messages. */
export const messagesTurns: TurnsOf = ({ messages }) =>
  objects(messages).map(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
    const of = (type: string): JsonObject[] => blocks.filter((block) => block.type === type);
    return {
      role: text(role),
      texts: of('text').map((block) => text(block['text'])),
      calls: of('tool_use').map(({ id, name }) => ({ id: text(id), name: text(name) })),
      results: of('tool_result').map(({ tool_use_id: id }) => text(id)),
    };
  });

/** Converse. */
export const converseTurns: TurnsOf = ({ messages }) =>
  objects(messages).map(({ role, content }) => {
    const of = (name: string): JsonObject[] =>
      objects(content).flatMap((block) => (name in block ? [block[name] as JsonObject] : []));
    return {
      role: text(role),
      texts: objects(content).flatMap((block) => ('text' in block ? [text(block['text'])] : [])),
      calls: of('toolUse').map(({ toolUseId: id, name }) => ({ id: text(id), name: text(name) })),
      results: of('toolResult').map(({ toolUseId: id }) => text(id)),
    };
  });

/** Gemini, whose calls are matched by their names and order. */
export const geminiTurns: TurnsOf = ({ contents }) =>
  objects(contents).map(({ role, parts }) => {
    const of = (name: string): JsonObject[] =>
      objects(parts).flatMap((part) => (name in part ? [part[name] as JsonObject] : []));
    return {
      role: role === 'model' ? 'assistant' : text(role),
      texts: objects(parts).flatMap((part) => ('text' in part ? [text(part['text'])] : [])),
      calls: of('functionCall').map(({ name }, i) => ({ id: `${i} ${text(name)}`, name: text(name) })),
      results: of('functionResponse').map(({ name }, i) => `${i} ${text(name)}`),
    };
  });

/** Responses: each item is one. */
export const responsesTurns: TurnsOf = ({ input }) =>
  objects(input).flatMap(({ type, role, content, call_id: id, name }): Turn[] => {
    if (type === 'function_call')
      return [{ ...blank, role: 'assistant', calls: [{ id: text(id), name: text(name) }] }];
    if (type === 'function_call_output') return [{ ...blank, role: 'tool', results: [text(id)] }];
    if (role === undefined) return [];
    const texts =
      typeof content === 'string' ? [content] : objects(content).map(({ text: piece }) => text(piece));
    return [{ ...blank, role: text(role), texts }];
  });
