import type { Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { TactusError } from '../../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../../contract/json/json.js';
import type { OutsideAnswer } from '../../../../contract/tools/outside-tool.js';
import { ToolFailed } from '../../tool-failed.js';
import type { TaskLook, ToolTasks } from '../../tool-tasks.js';
import { readQuestion } from '../read-question.js';
import { uuidOf } from '../uuid-of.js';
import { request, said } from './message.js';
import { readParts, valueOfParts } from './parts.js';
import { isUnknownTask } from './refusal-text.js';
import { stateName } from './states.js';

/** Messages in which one of ours is looked for. */
const messagesLookedAt = 50;

/** Tasks of an agent. One that waits for people is told what they said by a message of the same task. */
export function a2aTasks(client: () => Promise<Client>, pollMs: number | null): ToolTasks {
  const get = async (id: string, historyLength: number, signal: AbortSignal): Promise<Task> =>
    (await client()).getTask({ tenant: '', id, historyLength }, { signal });
  const cancel: ToolTasks['cancel'] = async (id, signal) => {
    await (await client()).cancelTask({ tenant: '', id, metadata: undefined }, { signal });
  };
  return {
    look: async (id, signal) => {
      try {
        const task = await get(id, 0, signal);
        const look = lookOf(task, pollMs);
        // It would wait for ever for what nobody gives it.
        if (look.status === 'failed' && isOpen(task)) await cancel(id, signal).catch(() => undefined);
        return look;
      } catch (error) {
        if (!isUnknownTask(error)) throw error;
        return { status: 'lost', message: 'the agent knows its task no more' };
      }
    },
    answer: async (id, responses, signal) => {
      const task = await get(id, messagesLookedAt, signal);
      for (const [question, response] of Object.entries(responses)) {
        const { action, ...more } = response as unknown as OutsideAnswer;
        if (action === 'decline') {
          await cancel(id, signal).catch(() => undefined);
          throw new TactusError('tool_failed', `a person left what the agent asked${because(more.comment)}`);
        }
        const messageId = uuidOf(`${id}/${question}`);
        // One that was killed before it could say so has answered already.
        if (task.history.some((message) => message.messageId === messageId)) continue;
        if (questionName(task) !== question) continue;
        const content = (more as { content: JsonValue }).content;
        const words = typeof content === 'string' ? { text: content } : { text: null, data: content };
        await (await client()).sendMessage(request(said(messageId, { ...words, task })), { signal });
      }
    },
    cancel,
  };
}

function because(comment: string | undefined): string {
  return comment === undefined ? '' : `: ${comment}`;
}

function isOpen({ status }: Task): boolean {
  return ['input_required', 'auth_required'].includes(stateName(status?.state));
}

/** @throws Error where it is none of the states that the protocol has */
function lookOf(task: Task, pollMs: number | null): TaskLook {
  const { status, artifacts } = task;
  const state = stateName(status?.state);
  const parts = status?.message?.parts ?? [];
  const { text } = readParts(parts);
  const why = text === null ? '' : `: ${text}`;
  switch (state) {
    case 'submitted':
    case 'working':
      return { status: 'working', pollMs };
    case 'completed': {
      const given = artifacts.flatMap((artifact) => artifact.parts);
      return { status: 'completed', value: valueOfParts(given.length === 0 ? parts : given) };
    }
    case 'input_required':
      return asked(task, pollMs);
    case 'auth_required':
      return {
        status: 'failed',
        message: `the agent wants somebody to sign in, which a run can't: give it what it needs by its headers${why}`,
      };
    case 'failed':
    case 'rejected':
    case 'canceled':
      return { status: 'failed', message: `the agent says that its task is ${state}${why}` };
    case 'unspecified':
      throw new Error('the agent says nothing of how its task stands');
  }
}

function asked(task: Task, pollMs: number | null): TaskLook {
  try {
    const question = readQuestion(readParts(task.status?.message?.parts ?? []));
    const requests = { [questionName(task)]: question } as unknown as JsonObject;
    return { status: 'input_required', pollMs, requests };
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    return { status: 'failed', message: error.message };
  }
}

/** Another time that it stops is another question, in whatever words. */
function questionName({ id, status }: Task): string {
  const { message, timestamp = '' } = status ?? {};
  const of = JSON.stringify([id, timestamp, message?.messageId ?? '', readParts(message?.parts ?? [])]);
  return uuidOf(of);
}
