import type {
  Client,
  ClientCapabilities,
  ClientOptions,
  Tool,
  Transport,
} from '@modelcontextprotocol/client';
import { TactusError } from '../../../contract/errors.js';
import { defined, isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { McpServerConfig } from '../../../contract/tools/tool-servers.js';
import { toolBounds } from '../../../egress/bounded-response.js';
import { egressFetch, type Egress } from '../../../egress/egress-fetch.js';
import { SharedWork } from './shared-work.js';

/** A live connection to a server, and its tools as it has told them. */
export interface McpConnection {
  client: Client;
  /** Why it was given up; null: it wasn't. The client says no more than that it was closed. */
  problem(): unknown;
  /** Whether the server has given it an id, which it may forget. */
  hasSession(): boolean;
  /** As they are now: told anew after the server has said that they changed. */
  tools(signal: AbortSignal): Promise<readonly Tool[]>;
  close(): Promise<void>;
}

/** Lists are short of this; a server whose pages never end is given up. */
const mostPages = 64;
const connectMs = 30_000;
/** Bytes of what a server of this machine writes before a message of it ends. */
const mostWritten = toolBounds.bytes;
/** A server may ask for another stream sooner than that, and again and again. */
const shortestRestMs = 1_000;

export interface ConnectOptions {
  egress: Egress;
  signal: AbortSignal;
  /** Is told when the connection is gone. */
  onClose: () => void;
}

/**
 * Connects to a server, or starts it. Nothing is asked of the server that would start it twice: which revision of the
 * protocol it speaks is configured. A connection with an answer that has no end is closed: the client would wait for the rest.
 * @throws TactusError payload_too_large; SilentAnswer; whatever the client throws
 */
export async function connect(
  config: McpServerConfig,
  { egress, signal, onClose }: ConnectOptions,
): Promise<McpConnection> {
  // Loaded when the first server is needed.
  const { Client, isSpecType } = await import('@modelcontextprotocol/client');
  let known: SharedWork<readonly Tool[]> | null = null;
  let problem: unknown = null;
  const forget = (): void => {
    known = null;
  };
  const options: ClientOptions = {
    listMaxPages: mostPages,
    listChanged: { tools: { onChanged: forget, autoRefresh: false } },
    ...(config.protocol === undefined
      ? {}
      : {
          versionNegotiation: { mode: { pin: config.protocol } },
          capabilities,
          inputRequired: { autoFulfill: false },
        }),
  };
  const client = new Client({ name: 'tactus-temporal', version: '1' }, options);
  client.onclose = onClose;
  const transport = await transportOf(config, egress, (error) => {
    problem ??= error;
    void client.close().catch(() => undefined);
  });
  await client.connect(transport, { signal, timeout: connectMs }).catch((error: unknown) => {
    throw problem ?? error;
  });
  if (config.protocol !== undefined) letTasksPass(transport);
  letWholeToolsPass(transport, isSpecType.Tool);
  return {
    client,
    problem: () => problem,
    hasSession: () => transport.sessionId !== undefined,
    tools: (asking) => {
      if (known === null || known.isOver) {
        const mine = new SharedWork((given) =>
          client.listTools(undefined, { signal: given }).then(({ tools }) => tools),
        );
        known = mine;
        mine.result.catch(() => {
          if (known === mine) known = null;
        });
      }
      return known.waitFor(asking);
    },
    close: () => client.close(),
  };
}

/** @param onCut is told of an answer that was given up */
async function transportOf(
  config: McpServerConfig,
  egress: Egress,
  onCut: (error: unknown) => void,
): Promise<Transport> {
  if ('url' in config) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { url, headers = {} } = config;
    const answers = egressFetch(egress, toolBounds, onCut);
    // What a server says besides may end, and is asked for again; one that floods it is asked no more, as if it had nothing to say.
    let isFlooded = false;
    const asked = egressFetch(egress, toolBounds, (error) => {
      isFlooded ||= error instanceof TactusError;
    });
    const stream: typeof fetch = (address, init) =>
      isFlooded ? Promise.resolve(new Response(null, { status: 405 })) : asked(address, init);
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers, redirect: 'manual' },
      fetch: (address, init) => (init?.method === 'GET' ? stream : answers)(address, init),
      reconnectionScheduler: (reconnect, delayMs) => {
        const timer = setTimeout(reconnect, Math.max(shortestRestMs, delayMs));
        return () => clearTimeout(timer);
      },
    });
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args = [], env = {}, cwd } = config;
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    ...defined({ cwd }),
    // What a server has to say there is for whoever runs it by hand.
    stderr: 'ignore',
    maxBufferSize: mostWritten,
  });
}

type IsTool = (value: unknown) => value is Tool;

/**
 * Keeps of a list of tools those that are described well, and of them what is used here. The client gives a whole list up for one
 * tool that isn't, and a whole result for one that isn't of the form that the tool promised.
 */
function letWholeToolsPass(transport: Transport, isTool: IsTool): void {
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

/** Calls that take long become tasks, of which the server tells how they stand. */
const extension = 'io.modelcontextprotocol/tasks';
const capabilitiesInMeta = 'io.modelcontextprotocol/clientCapabilities';
/** Where a task stands in what the client lets pass. */
const taskInMeta = 'tactus-temporal/task';

/** What this client can do without tasks: people are asked by the run, which may take weeks. */
export const capabilities: ClientCapabilities = { elicitation: { form: {} } };

/** `_meta` of a request that may be answered with a task, or is about one. */
export const withTasks = {
  [capabilitiesInMeta]: { ...capabilities, extensions: { [extension]: {} } },
};

export function hasTasks(client: Client): boolean {
  return client.getServerCapabilities()?.extensions?.[extension] !== undefined;
}

/**
 * The client refuses results of the type `task` before anybody sees them. They pass as questions that ask nothing, which
 * are checked against no schema of the tool's output.
 */
export function letTasksPass(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => onmessage?.(withTaskAsQuestion(message), extra);
}

function withTaskAsQuestion<T>(message: T): T {
  const { result } = message as { result?: { resultType?: unknown; taskId?: unknown } };
  if (result?.resultType !== 'task' || typeof result.taskId !== 'string') return message;
  const { taskId } = result;
  const question = { resultType: 'input_required', requestState: taskId, _meta: { [taskInMeta]: taskId } };
  return { ...message, result: question };
}

/** The id of the task that a call was answered with; null: it was answered otherwise. */
export function taskOf(result: { _meta?: Record<string, unknown> | undefined }): string | null {
  const task = result._meta?.[taskInMeta];
  return typeof task === 'string' ? task : null;
}
