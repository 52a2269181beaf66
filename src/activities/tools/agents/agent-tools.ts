import type { Environment } from '../../../contract/environment.js';
import { defined, getOwn } from '../../../contract/json/json.js';
import { visibleName, type EffectClass, type ListedTool } from '../../../contract/tools/outside-tool.js';
import type { AgentProtocol, OutsideAgentConfig } from '../../../contract/tools/tool-servers.js';
import { agentBounds } from '../../../egress/bounded-response.js';
import { egressFetch, type Egress } from '../../../egress/egress-fetch.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { checkEndpoint, networkReason } from '../../http/http-exchange.js';
import { variableFill, type VariableFill } from '../fill-variables.js';
import { ToolFailed, type CallableTool, type ToolHost } from '../tool-host.js';
import { a2aAgent } from './a2a-agent.js';
import { agUiAgent } from './ag-ui-agent.js';
import type { AgentAdapter, AgentPlace } from './agent-adapter.js';
import { langGraphAgent } from './langgraph-agent.js';

const prefix = 'agent.';
const longestDescription = 4_000;

const adapters: Record<AgentProtocol, (place: AgentPlace) => AgentAdapter> = {
  a2a: a2aAgent,
  ag_ui: agUiAgent,
  langgraph: langGraphAgent,
};

/** What a second call does where nobody says it: threads of LangGraph have ids of ours, so the second finds the first. */
const effects: Record<AgentProtocol, EffectClass> = { a2a: 'once', ag_ui: 'once', langgraph: 'idempotent' };

/** Agents of other systems: `agent.name`. */
export function agentTools(
  agents: Readonly<Record<string, OutsideAgentConfig>>,
  { env, ...egress }: Pick<ActivityDeps, 'env'> & Egress,
): ToolHost {
  const named = (source: string): string | null => {
    const name = source.startsWith(prefix) ? source.slice(prefix.length) : null;
    return name !== null && getOwn(agents as Record<string, OutsideAgentConfig>, name) !== undefined
      ? name
      : null;
  };
  const placeOf = (name: string): AgentPlace => {
    const config = agents[name] as OutsideAgentConfig;
    return {
      name,
      config,
      reach: () => {
        const url = checkEndpoint(fillOf(name, env).text(config.url), `the URL of the agent ${name}`).href;
        return { url, fetch: agentFetch(url, fillOf(name, env).table(config.headers), egress) };
      },
    };
  };
  return {
    list: async (source, signal) => {
      if (!source.startsWith(prefix)) return null;
      const name = named(source);
      if (name === null) throw missing(source, agents);
      const place = placeOf(name);
      const told = await adapters[place.config.protocol](place).describe(signal);
      return [listed(source, place.config, told)];
    },
    find: ({ source, effect }) => {
      const name = named(source);
      return name === null ? null : callable(source, placeOf(name), effect === 'once', env);
    },
    close: () => Promise.resolve(),
  };
}

function missing(source: string, agents: object): ToolFailed {
  const names = Object.keys(agents);
  const known =
    names.length === 0 ? 'outside_agents of its configuration is empty' : `there are: ${names.join(', ')}`;
  return new ToolFailed(`the worker has no agent for ${source}; ${known}`);
}

function fillOf(name: string, env: Environment): VariableFill {
  return variableFill(`the agent ${name}`, env);
}

function listed(
  source: string,
  { protocol, description, effect, timeoutMs }: OutsideAgentConfig,
  told: Pick<ListedTool, 'description' | 'parameters'>,
): ListedTool {
  return {
    source,
    description: (description ?? told.description).slice(0, longestDescription),
    parameters: told.parameters,
    effect: effect ?? effects[protocol],
    ...defined({ timeoutMs }),
  };
}

function callable(source: string, place: AgentPlace, isOnce: boolean, env: Environment): CallableTool {
  const { protocol, headers } = place.config;
  const { call, tasks } = adapters[protocol](place);
  return {
    names: [source, visibleName(source)],
    secrets: () => {
      try {
        return Object.values(fillOf(place.name, env).table(headers));
      } catch {
        return []; // A variable that isn't set gave no secret away.
      }
    },
    needsApproval: () => Promise.resolve(false),
    verify: () => Promise.resolve(null),
    agent: () => ({ protocol, address: new URL(place.reach().url).origin }),
    ...defined({ tasks }),
    call: async (args, context) => {
      if (tasks !== undefined && !context.tasks)
        throw new ToolFailed(`${source}: the run is of a version that can't wait for agents`);
      try {
        return await call(args, context);
      } catch (error) {
        // What may be done once alone isn't tried again by itself: where it is certain that nothing was done, that is said.
        throw isOnce && error instanceof NotReached ? new ToolFailed(`${source} ${error.message}`) : error;
      }
    },
  };
}

/** The other side never heard of it. */
const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** An agent was not reached, so nothing was done. */
class NotReached extends Error {
  override readonly name = 'NotReached';
}

/**
 * A `fetch` for one agent. What leads elsewhere, a card that names another host say, or a redirect, isn't followed: the headers
 * hold what this host alone may know.
 * @throws ToolFailed where the agent doesn't let us in, or names another host; NotReached
 */
function agentFetch(
  address: string,
  headers: Readonly<Record<string, string>>,
  egress: Egress,
): typeof fetch {
  const { origin } = new URL(address);
  const given = egressFetch(egress, agentBounds);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new ToolFailed(`it wants to be reached at ${url.origin}, and ${origin} is configured`);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await given(url, { ...init, headers: all }).catch((error: unknown) => {
      const reason = networkReason(error);
      if (reason === null) throw error;
      const told = `can't be reached (${reason})`;
      throw unreached.has(reason)
        ? new NotReached(told, { cause: error })
        : new Error(told, { cause: error });
    });
    const { status } = response;
    if (status === 401 || status === 403) throw new ToolFailed(`it doesn't let us in: HTTP ${status}`);
    if (status >= 300 && status < 400) throw new ToolFailed(`it answers with a redirect: HTTP ${status}`);
    return response;
  };
}
