import type { Message, Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { JsonValue } from '../../../../contract/json/json.js';
import type { HostCallContext } from '../../tool-host.js';
import { TaskBegun } from '../../task-begun.js';
import { ToolFailed } from '../../tool-failed.js';
import { messageParameters, saidIn, type AgentAdapter, type AgentPlace } from '../agent-adapter.js';
import { uuidOf } from '../uuid-of.js';
import { a2aTasks } from './a2a-tasks.js';
import { connect } from './connect.js';
import { request, said } from './message.js';
import { valueOfParts } from './parts.js';
import { refusalText } from './refusal-text.js';

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
