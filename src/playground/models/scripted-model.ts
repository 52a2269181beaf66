import { isObject, readJson, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { ModelCall, ModelCallResult, ToolCall } from '../../contract/models/model-call.js';

/**
 * The model of the playground: it answers calls from a script, in order. A line of the script is a text, a JSON value, or the call of a
 * tool: `{"tool": "lookup", "arguments": {"id": "A-7"}}`. After the last line it answers by itself.
 */
export function scriptedAnswer(call: ModelCall, script: readonly string[], number: number): ModelCallResult {
  const line = script[number];
  const { text, toolCalls } = line === undefined ? ownAnswer(call) : answerOfLine(line, number);
  return {
    text,
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: {
      input_tokens: tokensOf(JSON.stringify(call.messages)),
      output_tokens: tokensOf(text),
      input_usd: 0,
      output_usd: 0,
    },
    model: 'playground/scripted',
  };
}

/** The lines of a script as people write it. */
export function scriptLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

interface Answer {
  text: string;
  toolCalls: ToolCall[];
}

function answerOfLine(line: string, number: number): Answer {
  const value = line.startsWith('{') ? parsed(line) : undefined;
  if (!isObject(value) || typeof value['tool'] !== 'string') return { text: line, toolCalls: [] };
  const { tool: name, arguments: args = {} } = value;
  return { text: '', toolCalls: [{ id: `call-${number}`, name, arguments: args }] };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** Calls each tool once, then fills the form that is asked for, or says that it is a script. */
function ownAnswer({ messages, tools, outputSchema }: ModelCall): Answer {
  const used = new Set(messages.flatMap((each) => (each.role === 'tool' ? [each.name] : [])));
  const next = tools.find(({ name }) => !used.has(name) && name !== 'done');
  if (next !== undefined)
    return {
      text: '',
      toolCalls: [{ id: `call-${next.name}`, name: next.name, arguments: sampleOf(next.parameters) }],
    };
  if (outputSchema !== null) return { text: JSON.stringify(sampleOf(outputSchema)), toolCalls: [] };
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return { text: `A scripted answer to “${asked.slice(0, 200)}”.`, toolCalls: [] };
}

/** A value that fits a JSON Schema of the kinds that procedures declare. */
function sampleOf(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return 'sample';
  const { type, enum: choices, default: usual, properties, items } = schema;
  if (usual !== undefined) return usual;
  if (Array.isArray(choices) && choices[0] !== undefined) return choices[0];
  const kind = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  if (kind === 'object') return sampleObject(isObject(properties) ? properties : {});
  if (kind === 'array') return [sampleOf(items)];
  if (kind === 'number' || kind === 'integer') return 42;
  return kind === 'boolean' ? true : 'sample';
}

function sampleObject(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
}

/** About as many tokens as a provider would count. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
