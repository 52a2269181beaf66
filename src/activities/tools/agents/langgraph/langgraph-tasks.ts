import type { Interrupt, Run, ThreadState } from '@langchain/langgraph-sdk';
import type { Client } from '@langchain/langgraph-sdk/client';
import { TactusError } from '../../../../contract/errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import type { OutsideAnswer } from '../../../../contract/people/outside-question.js';
import { ToolFailed } from '../../tool-failed.js';
import type { TaskLook, ToolTasks } from '../../tool-tasks.js';
import { assertFew, readQuestion } from '../read-question.js';
import { readActions } from './action-requests.js';
import { isTaken, statusOf } from './connect.js';

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
