import type { Message, Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { TactusError } from '../../../contract/errors.js';
import { asJson, jsonAs, type JsonValue } from '../../../contract/json/json.js';
import type { OutsideAnswer } from '../../../contract/tools/outside-tool.js';
import { assertInstalled } from '../../packages/installed.js';
import {
  TaskStarted,
  ToolFailed,
  type HostCallContext,
  type TaskLook,
  type ToolTasks,
} from '../tool-host.js';
import {
  isUnknownTask,
  readParts,
  refusalText,
  request,
  newMessage,
  stateName,
  valueOfParts,
} from './a2a-messages.js';
import {
  messageParameters,
  readQuestion,
  saidIn,
  uuidOf,
  type AgentAdapter,
  type AgentPlace,
} from './agent-adapter.js';

/** Of a task: people see it, and history keeps it. */
const longestId = 256;

/** An agent that speaks A2A. What it is told becomes a task of its own, or is answered at once. */
export function a2aAgent(place: AgentPlace): AgentAdapter {
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
      throw new TaskStarted(answer.id);
    },
    tasks: a2aTasks(client, place.config.pollMs ?? null),
  };
}

function messageOf({ name }: AgentPlace, args: JsonValue, { idempotencyKey }: HostCallContext): Message {
  const { message: text, data } = saidIn(args);
  return newMessage(uuidOf(`${name}/${idempotencyKey}`), { text, data });
}

function isTask(answer: Message | Task): answer is Task {
  return !('messageId' in answer);
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

/** Messages in which one of ours is looked for. */
const messagesLookedAt = 50;

/** Tasks of an agent. One that waits for people is told what they said by a message of the same task. */
function a2aTasks(client: () => Promise<Client>, pollMs: number | null): ToolTasks {
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
        const { action, ...more } = jsonAs<OutsideAnswer>(response);
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
        await (await client()).sendMessage(request(newMessage(messageId, { ...words, task })), { signal });
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
      return inputRequired(task, pollMs);
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

function inputRequired(task: Task, pollMs: number | null): TaskLook {
  try {
    const question = readQuestion(readParts(task.status?.message?.parts ?? []));
    const requests = { [questionName(task)]: asJson(question) };
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
