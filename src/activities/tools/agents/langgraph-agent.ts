import type { Interrupt, Run, ThreadState } from '@langchain/langgraph-sdk';
import type { Client } from '@langchain/langgraph-sdk/client';
import { TactusError } from '../../../contract/errors.js';
import {
  asJson,
  defined,
  getOwn,
  isObject,
  jsonAs,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/json.js';
import type { OutsideAnswer } from '../../../contract/tools/outside-tool.js';
import { assertInstalled } from '../../packages/installed.js';
import { TaskStarted, ToolFailed, type TaskLook, type ToolTasks } from '../tool-host.js';
import {
  assertFew,
  readQuestion,
  uuidOf,
  type AgentAdapter,
  type AgentPlace,
  type Stop,
} from './agent-adapter.js';

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
      throw new TaskStarted(threadId);
    },
    tasks: langGraphTasks(client, { graph, pollMs: place.config.pollMs ?? null }),
  };
}

/** How a person's answer is told to the graph. */
type Resume = (content: JsonValue, comment: string | undefined) => JsonValue;

interface Action {
  name: string;
  args: JsonValue;
  description: string | null;
  allowed: string[];
}

const decisions = ['approve', 'edit', 'reject'];

/**
 * Calls of tools that LangChain's human-in-the-loop middleware wants to have allowed; null where an interrupt is something else. One
 * that may be allowed or refused is a plain yes or no; of several, or of other decisions, the middleware is told what it understands.
 */
export function readActions(value: JsonValue): { stop: Stop; resume: Resume } | null {
  const actions = actionsOf(value);
  const [action] = actions ?? [];
  if (actions === null || action === undefined) return null;
  const isPlain =
    actions.length === 1 && ['approve', 'reject'].every((each) => action.allowed.includes(each));
  const text = actions.map(({ name, description }) => description ?? `May it call ${name}?`).join('\n\n');
  const data = actions.map(({ name, args }) => ({ action: name, arguments: args }));
  if (!isPlain)
    return { stop: { text, data, schema: decisionsSchema(actions) }, resume: (content) => content };
  return {
    stop: { text, data: data[0] ?? null, schema: { type: 'boolean' } },
    resume: (content, comment) => ({
      decisions: [
        content === true ? { type: 'approve' } : { type: 'reject', ...defined({ message: comment }) },
      ],
    }),
  };
}

/** Python and JavaScript write them otherwise. */
function actionsOf(value: JsonValue): Action[] | null {
  if (!isObject(value)) return null;
  const requests = getOwn(value, 'action_requests') ?? getOwn(value, 'actionRequests');
  const configs = getOwn(value, 'review_configs') ?? getOwn(value, 'reviewConfigs') ?? [];
  if (!Array.isArray(requests) || !Array.isArray(configs)) return null;
  const actions = requests.map((request) => {
    if (!isObject(request) || typeof request['name'] !== 'string') return null;
    const { name, args = null, description } = request;
    const config = configs.find(
      (each) => isObject(each) && (each['action_name'] ?? each['actionName']) === name,
    );
    const said = isObject(config) ? (config['allowed_decisions'] ?? config['allowedDecisions']) : null;
    const allowed = Array.isArray(said) ? said.filter((each) => typeof each === 'string') : decisions;
    return { name, args, description: typeof description === 'string' ? description : null, allowed };
  });
  return actions.every((each) => each !== null) ? actions : null;
}

function decisionsSchema(actions: readonly Action[]): JsonObject {
  const allowed = [...new Set(actions.flatMap((action) => action.allowed))];
  const decision = { type: 'object', properties: { type: { enum: allowed } }, required: ['type'] };
  const { length } = actions;
  return {
    type: 'object',
    properties: { decisions: { type: 'array', items: decision, minItems: length, maxItems: length } },
    required: ['decisions'],
  };
}

/**
 * Threads of a LangGraph server. The run of one ends at an interrupt, and an answer is another run of it: so the last run says
 * whether an interrupt has had its answer, whoever gave it.
 */
export function langGraphTasks(
  client: () => Promise<Client>,
  { graph, pollMs }: { graph: string; pollMs: number | null },
): ToolTasks {
  const lastRun = async (threadId: string, signal: AbortSignal): Promise<Run | null> => {
    const runs = await (await client()).runs.list(threadId, { signal });
    return runs.reduce<Run | null>(
      (last, run) => (last !== null && last.created_at > run.created_at ? last : run),
      null,
    );
  };
  const stateOf = async (threadId: string, signal: AbortSignal): Promise<ThreadState> =>
    (await client()).threads.getState(threadId, undefined, { signal });
  return {
    look: async (threadId, signal) => {
      try {
        const run = await lastRun(threadId, signal);
        if (run === null) return { status: 'lost', message: 'the thread has no run' };
        if (run.status === 'pending' || run.status === 'running') return { status: 'working', pollMs };
        return lookOf(run, await stateOf(threadId, signal), pollMs);
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        return { status: 'lost', message: 'the server knows the thread no more' };
      }
    },
    answer: async (threadId, responses, signal) => {
      const run = await lastRun(threadId, signal);
      const open = namedInterrupts(run, await stateOf(threadId, signal));
      const resume: JsonObject = {};
      for (const [name, response] of Object.entries(responses)) {
        const { action, comment, ...more } = jsonAs<OutsideAnswer>(response);
        const interrupt = open[name];
        // Another run has come after it: it has been answered.
        if (interrupt === undefined) continue;
        if (action === 'decline')
          throw new TactusError(
            'tool_failed',
            `a person left what the graph asked${comment === undefined ? '' : `: ${comment}`}`,
          );
        const { content } = more as { content: JsonValue };
        const { resume: asTold } = readActions((interrupt.value ?? null) as JsonValue) ?? {};
        setOwn(resume, interrupt.id ?? '', asTold === undefined ? content : asTold(content, comment));
      }
      const [first] = Object.values(resume);
      if (first === undefined) return;
      // Servers from before interrupts had ids know one answer alone.
      const command = { resume: Object.keys(open).length === 1 ? first : resume };
      try {
        await (await client()).runs.create(threadId, graph, { command, multitaskStrategy: 'reject', signal });
      } catch (error) {
        const now = isTaken(error) ? await lastRun(threadId, signal) : run;
        if (now?.run_id === run?.run_id) throw error;
      }
    },
    cancel: async (threadId, signal) => {
      const run = await lastRun(threadId, signal);
      if (run?.status === 'pending' || run?.status === 'running')
        await (await client()).runs.cancel(threadId, run.run_id, false, 'interrupt', { signal });
    },
  };
}

/** Interrupts by the names of their questions: the same node may stop again, and its interrupt has the same id then. */
function namedInterrupts(run: Run | null, { tasks }: ThreadState): Record<string, Interrupt> {
  const interrupts: Interrupt[] = tasks.flatMap((task) => task.interrupts);
  return Object.fromEntries(interrupts.map((each) => [`${run?.run_id ?? ''}:${each.id ?? ''}`, each]));
}

function lookOf(run: Run, state: ThreadState, pollMs: number | null): TaskLook {
  const problem = state.tasks
    .map(({ error }) => error)
    .find((error) => error !== null && error !== undefined);
  const why = problem === undefined ? '' : `: ${problem}`;
  if (run.status === 'error' || run.status === 'timeout')
    return { status: 'failed', message: `the graph ended with ${run.status}${why}` };
  const interrupts = Object.entries(namedInterrupts(run, state));
  if (interrupts.length > 0) return inputRequired(interrupts, pollMs);
  if (run.status === 'interrupted')
    return { status: 'failed', message: 'the run of the graph was cancelled' };
  if (state.next.length > 0)
    return {
      status: 'failed',
      message: `the graph stands before ${state.next.join(', ')}, and asks nothing`,
    };
  return { status: 'completed', value: state.values };
}

function inputRequired(interrupts: [string, Interrupt][], pollMs: number | null): TaskLook {
  try {
    assertFew(interrupts.length);
    const requests: JsonObject = {};
    for (const [name, { value = null, response_schema: schema }] of interrupts) {
      const data = value as JsonValue;
      const given = isObject(schema as JsonValue | undefined) ? (schema as JsonObject) : null;
      const question = readQuestion(readActions(data)?.stop ?? { data, schema: given });
      setOwn(requests, name, asJson(question));
    }
    return { status: 'input_required', pollMs, requests };
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    return { status: 'failed', message: error.message };
  }
}

/**
 * A client of a LangGraph server. It reads no key of the environment, and tries nothing a second time: that is the run's to say.
 * @throws TactusError missing_package; ToolFailed, Fault
 */
async function connect({ reach }: AgentPlace): Promise<Client> {
  assertInstalled('LangGraph servers need', ['@langchain/langgraph-sdk', '@langchain/core']);
  const { Client } = await import('@langchain/langgraph-sdk/client');
  const { url, fetch } = reach();
  return new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0, fetch } });
}

/** HTTP status of what a request was answered with; null where it has none. */
function statusOf(error: unknown): number | null {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : null;
}

/** Somebody else is at the thread. */
function isTaken(error: unknown): boolean {
  return [409, 422].includes(statusOf(error) ?? 0);
}
