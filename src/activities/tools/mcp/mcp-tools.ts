import type { CallToolResult, Client, InputRequiredResult, Tool } from '@modelcontextprotocol/client';
import { defined, getOwn, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { Egress } from '../../../egress/egress-fetch.js';
import type { Environment } from '../../../contract/environment.js';
import { matchesGlob } from '../../../contract/text/glob.js';
import {
  visibleName,
  type EffectClass,
  type ListedTool,
  type ToolVersion,
} from '../../../contract/tools/outside-tool.js';
import {
  InputRequired,
  TaskStarted,
  ToolFailed,
  type CallableTool,
  type HostCallContext,
  type ToolHost,
} from '../tool-host.js';
import { hasTasks, taskOf, withTasks, type McpConnection } from './connection.js';
import { knownAnswer, McpConnections, notConnected, resolveVariables } from './connections.js';
import { callResult, mcpTasks } from './mcp-tasks.js';
import type { McpServerConfig } from '../../../contract/tools/tool-servers.js';
import { digestOf } from '../../../contract/effects/digest.js';

const prefix = 'mcp.';
/** What the protocol allows in a name. Others might be anything but a name to a person who is asked about it. */
const namePattern = /^[\w.-]{1,128}$/;
/** By which a server knows that a call is the same as one before. */
const keyInMeta = 'tactus-temporal/idempotency-key';

/** Tools of MCP servers: `mcp.server.tool`, all of one as `mcp.server` or `server`. */
export function mcpTools(
  servers: Readonly<Record<string, McpServerConfig>>,
  { env, ...egress }: { env: Environment } & Egress,
): ToolHost {
  const connections = new McpConnections(servers, env, egress);
  const place = (source: string): { server: string; tool: string | null; config: McpServerConfig } | null => {
    const name = source.startsWith(prefix) ? source.slice(prefix.length) : source;
    const [server = ''] = name.split('.', 1);
    const config = getOwn(servers as Record<string, McpServerConfig>, server);
    if (config === undefined) return null;
    return { server, tool: name === server ? null : name.slice(server.length + 1), config };
  };
  return {
    list: async (source, signal) => {
      const found = place(source);
      if (found === null) return source.startsWith(prefix) ? missing(source, servers) : null;
      const { server, tool, config } = found;
      const told = await connections.use(server, signal, (connection) => connection.tools(signal));
      const tools = told.filter(({ name }) => namePattern.test(name));
      const wanted = tools.filter(({ name }) => tool === null || name === tool);
      if (wanted.length === 0 && tool !== null)
        throw new ToolFailed(
          `${server} has no tool ${tool}; there are: ${tools.map(({ name }) => name).join(', ')}`,
        );
      return wanted.map((each) => listed(server, each, config));
    },
    find: ({ source }) => {
      const found = place(source);
      if (found === null || found.tool === null) return null;
      const { server, tool, config } = found;
      return callable(connections, { server, tool, config }, env);
    },
    close: () => connections.close(),
  };
}

function missing(source: string, servers: object): never {
  const names = Object.keys(servers);
  throw new ToolFailed(
    `the worker has no MCP server for ${source}; ${names.length === 0 ? 'mcp_servers of its configuration is empty' : `there are: ${names.join(', ')}`}`,
  );
}

function listed(server: string, tool: Tool, { effects = {}, timeoutMs }: McpServerConfig): ListedTool {
  return {
    source: `${prefix}${server}.${tool.name}`,
    description: tool.description ?? '',
    parameters: tool.inputSchema as JsonObject,
    effect: effectOf(tool, effects),
    version: versionOf(tool),
    ...defined({ timeoutMs }),
  };
}

/** What nobody says anything of is done once. */
function effectOf({ name, annotations }: Tool, effects: Readonly<Record<string, EffectClass>>): EffectClass {
  const said = Object.entries(effects).find(([pattern]) => matchesGlob(pattern, name));
  if (said !== undefined) return said[1];
  if (annotations?.readOnlyHint === true) return 'pure';
  return annotations?.idempotentHint === true ? 'idempotent' : 'once';
}

function callable(
  connections: McpConnections,
  { server, tool: name, config }: { server: string; tool: string; config: McpServerConfig },
  env: Environment,
): CallableTool {
  const source = `${prefix}${server}.${name}`;
  return {
    names: [source, visibleName(source)],
    secrets: () => secretsOf(server, config, env),
    needsApproval: () => Promise.resolve(false),
    now: (signal) =>
      connections.use(server, signal, async (connection) => {
        const tool = (await connection.tools(signal)).find((each) => each.name === name);
        if (tool === undefined) throw new ToolFailed(`${server} has no tool ${name} any more`);
        return listed(server, tool, config);
      }),
    verify: () => Promise.resolve(null),
    tasks: mcpTasks((signal, work) => connections.use(server, signal, work)),
    call: (args, context) => {
      let isConnected = false;
      const work = async ({ client }: McpConnection): Promise<JsonValue> => {
        isConnected = true;
        const mayBeTask = context.tasks && hasTasks(client);
        const result = await client.callTool(paramsOf(name, args, context, mayBeTask), {
          signal: context.signal,
          // The signal says when it is over.
          timeout: 2 ** 31 - 1,
          allowInputRequired: true,
        });
        const task = taskOf(result);
        if (task !== null && mayBeTask) throw new TaskStarted(task);
        if (task !== null) throw new Error('it was answered with a task, which it was not asked for');
        if (isInputRequired(result))
          throw new InputRequired(result.inputRequests ?? {}, result.requestState ?? null);
        return callResult(result);
      };
      const mayRepeat = context.effect !== 'once';
      return connections.use(server, context.signal, work, mayRepeat).catch((error: unknown) => {
        throw isConnected ? knownAnswer(error) : notConnected(error);
      });
    },
  };
}

type Params = Parameters<Client['callTool']>[0];

function paramsOf(
  name: string,
  args: JsonValue,
  { idempotencyKey, inputs }: HostCallContext,
  mayBeTask: boolean,
): Params {
  return {
    name,
    arguments: args as Record<string, unknown>,
    _meta: { [keyInMeta]: idempotencyKey, ...(mayBeTask ? withTasks : {}) },
    ...(inputs === null ? {} : { inputResponses: inputs.responses }),
    ...(inputs?.state == null ? {} : { requestState: inputs.state }),
  };
}

function isInputRequired(result: CallToolResult | InputRequiredResult): result is InputRequiredResult {
  return (result as { resultType?: unknown }).resultType === 'input_required';
}

function secretsOf(server: string, config: McpServerConfig, env: Environment): string[] {
  try {
    const resolved = resolveVariables(server, config, env);
    return Object.values(('url' in resolved ? resolved.headers : resolved.env) ?? {});
  } catch {
    return []; // A variable that isn't set gave no secret away.
  }
}

/** What of a tool a run was told: what it takes, and what a model reads of it, apart from each other. */
function versionOf({ name, description = '', inputSchema, annotations }: Tool): ToolVersion {
  return {
    arguments: digestOf([name, withoutTexts(inputSchema as JsonValue)]),
    text: digestOf([description, inputSchema as JsonValue, (annotations ?? null) as JsonValue]),
  };
}

/** A schema's own descriptions are text, too. */
function withoutTexts(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutTexts);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => typeof value !== 'string' || !['description', 'title'].includes(key))
      .map(([key, value]) => [key, withoutTexts(value)]),
  );
}
