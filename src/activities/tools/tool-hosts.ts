import { egressFetch, type Egress } from '../../egress/egress-fetch.js';
import { exchangeBounds } from '../../egress/bounded-response.js';
import type { ActivityDeps } from '../activity-deps.js';
import { agentTools } from './agents/agent-tools.js';
import { mcpTools } from './mcp/mcp-tools.js';
import { ownTools } from './own-tools.js';
import type { EffectClass, ListedTool } from '../../contract/tools/outside-tool.js';
import { visibleName } from '../../contract/tools/visible-name.js';
import type { CallableTool, ToolHost } from './tool-host.js';
import type { ToolCallContext } from './define-tool.js';
import { ToolFailed } from './tool-failed.js';
import type { HttpRequest } from '../../contract/http/http-request.js';
import type { JsonValue } from '../../contract/json/json.js';
import { readJson } from '../../contract/json/read-json.js';
import { isRetryableStatus } from '../http/http-fault.js';
import {
  checkEndpoint,
  faultOf,
  httpExchange,
  idempotencyHeader,
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
  mcpServers = {},
  outsideAgents = {},
  ...others
}: Pick<ActivityDeps, 'tools' | 'mcpServers' | 'outsideAgents' | 'env'> & Egress): ToolHost[] {
  return [
    ownTools(tools),
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
