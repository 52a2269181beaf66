import type { Message, Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { Environment } from '../../../contract/environment.js';
import { getOwn, type JsonValue } from '../../../contract/json/json.js';
import type { AgentProtocol, OutsideAgentConfig } from '../../../contract/tools/outside-agent-config.js';
import type { EffectClass, ListedTool } from '../../../contract/tools/outside-tool.js';
import { visibleName } from '../../../contract/tools/visible-name.js';
import type { Egress } from '../../../egress/egress-fetch.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { checkEndpoint } from '../../http/http-exchange.js';
import { assertInstalled } from '../../packages/installed.js';
import { variableFill, type VariableFill } from '../fill-variables.js';
import { TaskBegun } from '../task-begun.js';
import { ToolFailed } from '../tool-failed.js';
import type { CallableTool, HostCallContext, ToolHost } from '../tool-host.js';
import { a2aTasks } from './a2a/a2a-tasks.js';
import { request, said } from './a2a/message.js';
import { valueOfParts } from './a2a/parts.js';
import { refusalText } from './a2a/refusal-text.js';
import { agUiAgent } from './ag-ui/ag-ui-agent.js';
import { messageParameters, saidIn, type AgentAdapter, type AgentPlace } from './agent-adapter.js';
import { agentFetch, NotReached } from './agent-fetch.js';
import { langGraphAgent } from './langgraph/langgraph-agent.js';
import { uuidOf } from './uuid-of.js';

/** Of a task: people see it, and history keeps it. */
const longestId = 256;

/** An agent that speaks A2A. What it is told becomes a task of its own, or is answered at once. */
function a2aAgent(place: AgentPlace): AgentAdapter {
  let known: Promise<Client> | null = null;
  const client = (): Promise<Client> => (known ??= connect(place));
  return {
    describe: async () => {
      const { name, description, skills } = await (await client()).getAgentCard();
      const abilities = (skills ?? []).map((skill) => `- ${skill.name}: ${skill.description}`);
      return { description: [description || name, ...abilities].join('\n'), parameters: messageParameters };
    },
    call: async (args, context) => {
      // Nothing is sent before this.
      const connected = await client();
      const answer = await connected
        .sendMessage(request(messageOf(place, args, context)), { signal: context.signal })
        .catch((error: unknown) => {
          const refusal = refusalText(error);
          throw refusal === null ? error : new ToolFailed(refusal);
        });
      if (!isTask(answer)) return valueOfParts(answer.parts);
      if (answer.id === '' || answer.id.length > longestId)
        throw new Error('it answers with a task without a usable id');
      throw new TaskBegun(answer.id);
    },
    tasks: a2aTasks(client, place.config.pollMs ?? null),
  };
}

function messageOf({ name }: AgentPlace, args: JsonValue, { idempotencyKey }: HostCallContext): Message {
  const { message: text, data } = saidIn(args);
  return said(uuidOf(`${name}/${idempotencyKey}`), { text, data });
}

function isTask(answer: Message | Task): answer is Task {
  return !('messageId' in answer);
}

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
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
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
    ...(tasks === undefined ? {} : { tasks }),
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

/**
 * Fetches the agent's card, and speaks with it as that says: JSON-RPC, or HTTP with JSON, of the protocol's versions 1.0 and 0.3.
 * @throws TactusError missing_package; ToolFailed, Fault, NotReached
 */
async function connect({ reach }: AgentPlace): Promise<Client> {
  assertInstalled('Agents that speak A2A need', ['@a2a-js/sdk']);
  const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
    await import('@a2a-js/sdk/client');
  const { url, fetch: fetchImpl } = reach();
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
    // Without it each call would wait until the agent stops.
    clientConfig: { polling: true },
  });
  return factory.createFromUrl(url.endsWith('/') ? url : `${url}/`);
}
