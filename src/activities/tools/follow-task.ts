import { Context } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';
import type { DropTaskInput, FollowTaskInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import type { ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import type { ActivityDeps } from '../activity-deps.js';
import { atEdge } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { createRedactor, secretsOf } from '../secrets/secrets.js';
import { isUnwanted, type ServerAccess } from '../runs/look-at-runs.js';
import { doneAnswer, questionsAnswer } from './call-tool.js';
import type { CallableTool, TaskLook, ToolHost, ToolTasks } from './tool-host.js';
import { getOwn, setOwn, type JsonObject } from '../../contract/json/json.js';

/** Where nobody says how often they want to be asked, in ms; */
const usualWaitMs = 5_000;
/** else as often as they say, within these. */
const shortestWaitMs = 200;
const longestWaitMs = 60_000;

interface TaskWatch {
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
async function lookAtTask(tasks: ToolTasks, { task, answers, lookMs, signal }: TaskWatch): Promise<TaskLook> {
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

/** Time for a word that a task isn't wanted any more, in ms. */
const patienceMs = 5_000;

/** What following tasks takes. */
export interface TaskDeps {
  deps: ActivityDeps;
  hosts: readonly ToolHost[];
  server: ServerAccess;
}

/**
 * Waits for what a call comes to that has become a task. Nothing is done by it, so it is tried as often as need be.
 * @throws ApplicationFailure of type tool_failed, outcome_unknown (where nobody will know of a `once` call) or
 *   payload_too_large
 */
export async function followTask(
  { deps, hosts, server }: TaskDeps,
  { invocation, tries, lookMs }: FollowTaskInput,
): Promise<ToolAnswer> {
  const { source, effect, task = '', inputs } = invocation;
  const tool = toolOf(hosts, invocation);
  const secrets = (): string[] => [...secretsOf(deps.env), ...(tool?.secrets() ?? [])];
  // The task goes on, whatever keeps us from hearing of it.
  const code = effect === 'once' ? 'outcome_unknown' : 'tool_failed';
  return atEdge({ code, subject: source, secrets, tries }, () =>
    withHeartbeat(async () => {
      // The worker that began it has it, and may take this too.
      if (tool?.tasks === undefined)
        throw new TactusError(code, `no worker has a tool ${source} with tasks`, { lacking: source });
      const { cancellationSignal: signal } = Context.current();
      const watch = { task, answers: inputs?.responses ?? {}, lookMs, signal };
      try {
        const look = await lookAtTask(tool.tasks, watch);
        return answerOf(look, invocation, code, tool);
      } catch (error) {
        if (signal.aborted && (await isUnwanted(server))) await cancelled(tool.tasks, task);
        throw error;
      }
    }),
  );
}

/** Says that nobody wants a task any more; whether that is heard makes no difference to anybody. */
export async function dropTask(
  { deps, hosts }: Omit<TaskDeps, 'server'>,
  { task, ...of }: DropTaskInput,
): Promise<void> {
  const tool = toolOf(hosts, of);
  const secrets = (): string[] => [...secretsOf(deps.env), ...(tool?.secrets() ?? [])];
  await atEdge({ code: 'tool_failed', subject: of.source, secrets }, async () => {
    if (tool?.tasks !== undefined) await cancelled(tool.tasks, task);
  });
}

function toolOf(hosts: readonly ToolHost[], of: Parameters<ToolHost['find']>[0]): CallableTool | null {
  return hosts.map((host) => host.find(of)).find((found) => found !== null) ?? null;
}

async function cancelled(tasks: ToolTasks, task: string): Promise<void> {
  await tasks.cancel(task, AbortSignal.timeout(patienceMs)).catch(() => undefined);
}

/** @throws TactusError tool_failed, outcome_unknown, payload_too_large */
function answerOf(
  look: TaskLook,
  invocation: ToolInvocation,
  code: 'outcome_unknown' | 'tool_failed',
  tool: CallableTool,
): ToolAnswer {
  const { source, task = '' } = invocation;
  switch (look.status) {
    case 'working':
      return { kind: 'task', task };
    case 'input_required':
      return questionsAnswer(tool, { requests: look.requests, state: null, task });
    case 'completed':
      return doneAnswer(createRedactor(tool.secrets()).value(look.value), invocation);
    case 'failed':
      throw new TactusError('tool_failed', look.message);
    case 'lost':
      throw new TactusError(code, `${source}: ${look.message}`);
  }
}
