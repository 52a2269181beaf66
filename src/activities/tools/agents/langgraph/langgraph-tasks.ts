import type { Interrupt, Run, ThreadState } from '@langchain/langgraph-sdk';
import type { Client } from '@langchain/langgraph-sdk/client';
import { TactusError } from '../../../../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import type { OutsideAnswer } from '../../../../contract/tools/outside-tool.js';
import { ToolFailed } from '../../tool-failed.js';
import type { TaskLook, ToolTasks } from '../../tool-tasks.js';
import { assertFew, readQuestion, type Stop } from '../read-question.js';
import { isTaken, statusOf } from './connect.js';

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
        content === true
          ? { type: 'approve' }
          : { type: 'reject', ...(comment === undefined ? {} : { message: comment }) },
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
        const { action, comment, ...more } = response as unknown as OutsideAnswer;
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
  if (interrupts.length > 0) return asked(interrupts, pollMs);
  if (run.status === 'interrupted')
    return { status: 'failed', message: 'the run of the graph was cancelled' };
  if (state.next.length > 0)
    return {
      status: 'failed',
      message: `the graph stands before ${state.next.join(', ')}, and asks nothing`,
    };
  return { status: 'completed', value: state.values };
}

function asked(interrupts: [string, Interrupt][], pollMs: number | null): TaskLook {
  try {
    assertFew(interrupts.length);
    const requests: JsonObject = {};
    for (const [name, { value = null, response_schema: schema }] of interrupts) {
      const data = value as JsonValue;
      const given = isObject(schema as JsonValue | undefined) ? (schema as JsonObject) : null;
      const question = readQuestion(readActions(data)?.stop ?? { data, schema: given });
      setOwn(requests, name, question as unknown as JsonObject);
    }
    return { status: 'input_required', pollMs, requests };
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    return { status: 'failed', message: error.message };
  }
}
