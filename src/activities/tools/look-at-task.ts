import { setTimeout as delay } from 'node:timers/promises';
import { getOwn, setOwn, type JsonObject } from '../../contract/json/json.js';
import type { TaskLook, ToolTasks } from './tool-tasks.js';

/** Where nobody says how often they want to be asked, in ms; */
const usualWaitMs = 5_000;
/** else as often as they say, within these. */
const shortestWaitMs = 200;
const longestWaitMs = 60_000;

export interface TaskWatch {
  task: string;
  /** What people have said so far, by the names of the questions. */
  answers: JsonObject;
  /** For so long it is looked at, in ms. */
  lookMs: number;
  signal: AbortSignal;
}

/**
 * Looks at a task until it has ended, asks what nobody has answered, or the time is up. A question has one answer: it may
 * stand there for a while after that, and isn't answered anew.
 */
export async function lookAtTask(
  tasks: ToolTasks,
  { task, answers, lookMs, signal }: TaskWatch,
): Promise<TaskLook> {
  const end = performance.now() + lookMs;
  const sent = new Set<string>();
  for (;;) {
    const look = await tasks.look(task, signal);
    if (look.status !== 'working' && look.status !== 'input_required') return look;
    if (look.status === 'input_required') {
      const { due, open } = sorted(look.requests, answers, sent);
      if (Object.keys(due).length > 0) await tasks.answer(task, due, signal);
      for (const name of Object.keys(due)) sent.add(name);
      if (Object.keys(open).length > 0) return { ...look, requests: open };
    }
    const waitMs = Math.min(Math.max(look.pollMs ?? usualWaitMs, shortestWaitMs), longestWaitMs);
    if (performance.now() + waitMs > end) return { status: 'working', pollMs: look.pollMs };
    await delay(waitMs, undefined, { signal });
  }
}

/** Answers that are to be given, and questions that have none. */
function sorted(
  requests: JsonObject,
  answers: JsonObject,
  sent: ReadonlySet<string>,
): { due: JsonObject; open: JsonObject } {
  const due: JsonObject = {};
  const open: JsonObject = {};
  for (const [name, request] of Object.entries(requests)) {
    const answer = getOwn(answers, name);
    if (answer === undefined) setOwn(open, name, request);
    else if (!sent.has(name)) setOwn(due, name, answer);
  }
  return { due, open };
}
