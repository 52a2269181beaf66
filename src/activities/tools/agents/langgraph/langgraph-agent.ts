import type { Client } from '@langchain/langgraph-sdk/client';
import { isObject, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import { TaskBegun } from '../../task-begun.js';
import { ToolFailed } from '../../tool-failed.js';
import type { AgentAdapter, AgentPlace } from '../agent-adapter.js';
import { uuidOf } from '../uuid-of.js';
import { connect, statusOf } from './connect.js';
import { langGraphTasks } from './langgraph-tasks.js';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Whoever answers so may do better the next time. */
const transient = [408, 409, 429];

/**
 * A graph behind a LangGraph server. A call is a thread of its own whose id comes from the call's key, so one that is begun twice
 * finds what the first has begun.
 */
export function langGraphAgent(place: AgentPlace): AgentAdapter {
  let known: Promise<Client> | null = null;
  const client = (): Promise<Client> => (known ??= connect(place));
  const graph = place.config.graph ?? '';
  return {
    describe: async (signal) => {
      const api = await client();
      const assistant = uuid.test(graph)
        ? await api.assistants.get(graph, { signal })
        : (await api.assistants.search({ graphId: graph, limit: 1, signal }))[0];
      if (assistant === undefined) throw new ToolFailed(`${place.name} has no graph ${graph}`);
      const { input_schema: schema } = await api.assistants.getSchemas(assistant.assistant_id, { signal });
      const parameters = isObject(schema as JsonValue | undefined) ? (schema as JsonObject) : {};
      return {
        description: assistant.description ?? `The graph ${graph}`,
        parameters: { ...parameters, type: 'object' },
      };
    },
    call: async (args, { idempotencyKey, signal }) => {
      const api = await client();
      const threadId = uuidOf(`${place.name}/${idempotencyKey}`);
      try {
        await api.threads.create({ threadId, ifExists: 'do_nothing', signal });
        const [begun] = await api.runs.list(threadId, { limit: 1, signal });
        if (begun === undefined)
          await api.runs.create(threadId, graph, {
            input: args as Record<string, unknown>,
            multitaskStrategy: 'reject',
            signal,
          });
      } catch (error) {
        const status = statusOf(error);
        const isRefused = status !== null && status >= 400 && status < 500 && !transient.includes(status);
        throw isRefused ? new ToolFailed((error as Error).message) : error;
      }
      throw new TaskBegun(threadId);
    },
    tasks: langGraphTasks(client, { graph, pollMs: place.config.pollMs ?? null }),
  };
}
