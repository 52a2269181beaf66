import { egressFetch, type Egress } from '../../egress/egress-fetch.js';
import { exchangeBounds } from '../../egress/bounded-response.js';
import type { ActivityDeps } from '../activity-deps.js';
import { graphTools } from '../graphs/graph-tools.js';
import { agentTools } from './agents/agent-tools.js';
import { mcpTools } from './mcp/mcp-tools.js';
import { visibleName, type EffectClass, type ListedTool } from '../../contract/tools/outside-tool.js';
import { ToolFailed, type CallableTool, type ToolHost } from './tool-host.js';
import type { AnyToolDefinition, ToolCallContext, ToolDefinition } from './define-tool.js';
import type { HttpRequest } from '../../contract/http/http-request.js';
import { defined, readJson, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  checkEndpoint,
  faultOf,
  httpExchange,
  idempotencyHeader,
  isRetryableStatus,
  namedSecrets,
  requestHeaders,
} from '../http/http-exchange.js';

/** Whoever answers so has done nothing. */
const tooMany = 429;

/** Tools that a procedure declares as requests: `http.name`, with all that is sent in the call itself. */
function httpTools(deps: Pick<ActivityDeps, 'env'> & Egress): ToolHost {
  return {
    list: () => Promise.resolve(null),
    find: ({ source, effect, request }) =>
      request === undefined ? null : callable(deps, { source, effect, request }),
    close: () => Promise.resolve(),
  };
}

function callable(
  { env, ...egress }: Pick<ActivityDeps, 'env'> & Egress,
  { source, effect, request }: { source: string; effect: EffectClass; request: HttpRequest },
): CallableTool {
  // What may be done once alone isn't tried again by itself: where it is certain that nothing was done, that is said.
  const isOnce = effect === 'once';
  return {
    names: [source, visibleName(source), `${request.method} ${request.url}`],
    secrets: () => namedSecrets(request.headers, env),
    needsApproval: () => Promise.resolve(false),
    verify: () => Promise.resolve(null),
    call: async (_args, { idempotencyKey }: ToolCallContext) => {
      const { method, body } = request;
      const url = checkEndpoint(request.url, 'the URL');
      const headers = requestHeaders(request.headers, env);
      for (const [name, value] of Object.entries(idempotencyHeader(idempotencyKey)))
        if (!headers.has(name)) headers.set(name, value);
      const exchange = { url, method, headers, body, timeoutMs: request.timeoutMs, retriesBinary: false };
      const answer = await httpExchange(egressFetch(egress, exchangeBounds), exchange).catch(
        (error: unknown) => {
          throw isOnce && neverArrived(error) ? new ToolFailed((error as Error).message) : error;
        },
      );
      const { status } = answer;
      if (status >= 200 && status < 300) return parsed(answer.body);
      const fault = faultOf(answer);
      if (isRetryableStatus(status) && !(isOnce && status === tooMany)) throw fault;
      throw new ToolFailed(fault.message);
    },
  };
}

/** The other side never heard of it. */
function neverArrived(error: unknown): boolean {
  return error instanceof Error && /\((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)/.test(error.message);
}

function parsed(body: string): JsonValue {
  try {
    return readJson(body);
  } catch {
    return body;
  }
}

/** Who has tools for a worker: it is asked in this order. They are closed when the worker has ended. */
export function toolHosts({
  tools = [],
  graphs = [],
  mcpServers = {},
  outsideAgents = {},
  ...others
}: Pick<ActivityDeps, 'tools' | 'graphs' | 'mcpServers' | 'outsideAgents' | 'env'> & Egress): ToolHost[] {
  return [
    ownTools(tools),
    graphTools(graphs),
    mcpTools(mcpServers, others),
    agentTools(outsideAgents, others),
    httpTools(others),
  ];
}

/** The tools that a name stands for, of the first who has some; null where nobody has. @throws as `ToolHost.list` does */
export async function listFrom(
  hosts: readonly ToolHost[],
  source: string,
  signal: AbortSignal,
): Promise<ListedTool[] | null> {
  for (const host of hosts) {
    const tools = await host.list(source, signal);
    if (tools !== null) return tools;
  }
  return null;
}

const prefix = 'host.';

/**
 * The tools that a worker was given, by `host.name` or their name alone.
 * @throws TypeError where two have the same name
 */
function ownTools(definitions: readonly AnyToolDefinition[]): ToolHost {
  const byName = new Map<string, ToolDefinition>();
  // eslint-disable-next-line no-restricted-syntax -- each input is checked against the tool's schema first
  for (const definition of definitions as unknown as readonly ToolDefinition[]) {
    if (byName.has(definition.name)) throw new TypeError(`the worker has two tools ${definition.name}`);
    byName.set(definition.name, definition);
  }
  const named = (source: string): ToolDefinition | undefined =>
    byName.get(source.startsWith(prefix) ? source.slice(prefix.length) : source);
  return {
    list: async (source) => {
      const definition = named(source);
      return definition === undefined ? null : [await listed(definition)];
    },
    find: ({ source }) => {
      const definition = named(source);
      return definition === undefined ? null : ownTool(definition);
    },
    close: () => Promise.resolve(),
  };
}

async function listed(definition: ToolDefinition): Promise<ListedTool> {
  const { name, description, effect, timeoutMs, retry } = definition;
  // The package is large: a worker without tools does without it.
  const { asSchema } = await import('ai');
  return {
    source: prefix + name,
    description,
    parameters: (await asSchema(definition.input).jsonSchema) as JsonObject,
    effect,
    ...defined({ timeoutMs, retry }),
    ...('verify' in definition ? { canVerify: true } : {}),
  };
}

function ownTool(definition: ToolDefinition): CallableTool {
  const { name, needsApproval = false } = definition;
  return {
    names: [name, prefix + name],
    secrets: () => [],
    needsApproval: async (args) =>
      typeof needsApproval === 'boolean' ? needsApproval : needsApproval(await checked(definition, args)),
    call: async (args, context) => definition.execute(await checked(definition, args), context),
    verify: async (args, context) =>
      (await definition.verify?.(await checked(definition, args), context)) ?? null,
  };
}

/** @throws ToolFailed naming what is wrong with the arguments */
async function checked({ name, input }: ToolDefinition, args: JsonValue): Promise<unknown> {
  const { asSchema } = await import('ai');
  const result = await asSchema(input).validate?.(args);
  if (result === undefined) return args;
  if (result.success) return result.value;
  throw new ToolFailed(`${name}: the arguments don't fit: ${firstLine(result.error)}`);
}

function firstLine({ message, cause }: Error): string {
  const issues = (cause as { issues?: { path?: PropertyKey[]; message: string }[] } | undefined)?.issues;
  const [issue] = issues ?? [];
  if (issue === undefined) return message;
  const path = (issue.path ?? []).map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
