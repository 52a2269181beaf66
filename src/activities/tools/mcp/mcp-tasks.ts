import type { CallToolResult, Client, ContentBlock } from '@modelcontextprotocol/client';
import { defined, isObject, jsonAs, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { ToolFailed, type TaskLook, type ToolTasks } from '../tool-host.js';
import { withTasks, type McpConnection } from './connection.js';

/** What a server says to an id that it doesn't know, or no longer. */
const invalidParams = -32602;
/** Time of one question about a task, in ms. */
const questionMs = 30_000;

type Use = <T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>) => Promise<T>;

/** Tasks of a server (`io.modelcontextprotocol/tasks`), by requests of our own: the client has none for them. */
export function mcpTasks(use: Use): ToolTasks {
  const ask = (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> =>
    use(signal, ({ client }) => sendTaskRequest(client, { method, params }, signal));
  return {
    look: async (taskId, signal) => {
      try {
        return lookOf(await ask('tasks/get', { taskId }, signal));
      } catch (error) {
        if ((error as { code?: unknown }).code !== invalidParams) throw error;
        return { status: 'lost', message: `the server knows its task no more: ${(error as Error).message}` };
      }
    },
    answer: async (taskId, inputResponses, signal) => {
      await ask('tasks/update', { taskId, inputResponses }, signal);
    },
    cancel: async (taskId, signal) => {
      await ask('tasks/cancel', { taskId }, signal);
    },
  };
}

function sendTaskRequest(
  client: Client,
  { method, params }: { method: string; params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  const request = { method, params: { ...params, _meta: withTasks } };
  return client.request(request, anyObject, { signal, timeout: questionMs }) as Promise<JsonObject>;
}

/** What comes is read field by field. */
const anyObject = {
  '~standard': {
    version: 1,
    vendor: 'tactus-temporal',
    validate: (value: unknown) =>
      isObject(value as JsonValue)
        ? { value: value as JsonObject }
        : { issues: [{ message: 'it is no object' }] },
  },
} as const;

/** @throws Error where it is none of the states that the extension has */
function lookOf(task: JsonObject): TaskLook {
  const { status, statusMessage, pollIntervalMs, inputRequests } = task;
  const pollMs = typeof pollIntervalMs === 'number' ? pollIntervalMs : null;
  const said = typeof statusMessage === 'string' ? `: ${statusMessage}` : '';
  if (status === 'working') return { status, pollMs };
  if (status === 'input_required')
    return { status, pollMs, requests: isObject(inputRequests) ? inputRequests : {} };
  if (status === 'completed') return ended(task['result']);
  if (status === 'cancelled') return { status: 'failed', message: `the server cancelled the task${said}` };
  if (status !== 'failed')
    throw new Error(`the server says of its task that it is ${JSON.stringify(status ?? null)}`);
  const { message } = isObject(task['error']) ? task['error'] : {};
  const why = typeof message === 'string' ? `: ${message}` : said;
  return { status, message: `the task failed${why}` };
}

/** A task that has ended has what the call would have given. */
function ended(result: JsonValue | undefined): TaskLook {
  if (!isObject(result) || !Array.isArray(result['content']))
    return { status: 'lost', message: 'what its task gave is no result of a tool' };
  try {
    return { status: 'completed', value: callResult(jsonAs<CallToolResult>(result)) };
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    return { status: 'failed', message: error.message };
  }
}

/**
 * What a server's tool gave: its structured content where it has some, its text where that is all, else a list of its parts.
 * Pictures and sounds are told without their data, which no history has room for.
 * @throws ToolFailed where the tool says that it failed
 */
export function callResult({ content, structuredContent, isError }: CallToolResult): JsonValue {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (isError === true) throw new ToolFailed(reasonIn(texts, structuredContent));
  if (structuredContent !== undefined) return structuredContent as JsonValue;
  return texts.length === content.length ? texts.join('\n') : content.map(partOf);
}

/** Its own words, else what it gave in their place. */
function reasonIn(texts: readonly string[], structured: CallToolResult['structuredContent']): string {
  const said = texts.join('\n').trim();
  if (said !== '') return said;
  return Object.keys(structured ?? {}).length === 0
    ? 'the tool failed, and says no more'
    : JSON.stringify(structured);
}

/** Of what is written as Base64, with its padding or without. */
function bytesOf(data: string): number {
  return Buffer.from(data, 'base64').length;
}

function partOf(block: ContentBlock): JsonValue {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, mime_type: block.mimeType, bytes: bytesOf(block.data) };
    case 'resource_link':
      return { type: 'resource_link', uri: block.uri, name: block.name };
    case 'resource':
      return {
        type: 'resource',
        uri: block.resource.uri,
        ...defined({ mime_type: block.resource.mimeType }),
        ...('text' in block.resource
          ? { text: block.resource.text }
          : { bytes: bytesOf(block.resource.blob) }),
      };
    default:
      return { type: 'unknown' };
  }
}
