import type { Tool, Transport } from '@modelcontextprotocol/client';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';

type IsTool = (value: unknown) => value is Tool;

/**
 * Keeps of a list of tools those that are described well, and of them what is used here. The client gives a whole list up for one
 * tool that isn't, and a whole result for one that isn't of the form that the tool promised.
 */
export function letWholeToolsPass(transport: Transport, isTool: IsTool): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => onmessage?.(passing(message, isTool), extra);
}

function passing<T>(message: T, isTool: IsTool): T {
  const { result } = message as { result?: { tools?: unknown } };
  if (!Array.isArray(result?.tools)) return message;
  return { ...message, result: { ...result, tools: (result.tools as JsonValue[]).map(used).filter(isTool) } };
}

/** What it promises to give isn't held against it: what it gave is told as it is. */
function used(tool: JsonValue): JsonValue {
  if (!isObject(tool)) return tool;
  const { name = null, description, inputSchema = null, annotations } = tool;
  const hints = isObject(annotations ?? null) ? hintsIn(annotations as JsonObject) : null;
  return {
    ...{ name, inputSchema: isObject(inputSchema) ? { type: 'object', ...inputSchema } : inputSchema },
    ...(typeof description === 'string' ? { description } : {}),
    ...(hints === null ? {} : { annotations: hints }),
  };
}

function hintsIn(annotations: JsonObject): JsonObject {
  const isRight = ([name, value]: [string, JsonValue]): boolean =>
    name === 'title' ? typeof value === 'string' : !name.endsWith('Hint') || typeof value === 'boolean';
  return Object.fromEntries(Object.entries(annotations).filter(isRight));
}
