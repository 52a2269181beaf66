import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { OutsideAgentConfig } from '../../../contract/tools/outside-agent-config.js';
import type { HostCallContext } from '../tool-host.js';
import type { ToolTasks } from '../tool-tasks.js';

/** An agent that a worker reaches. */
export interface AgentPlace {
  /** As configuration calls it. */
  name: string;
  /** As it is written, without the values of its variables. */
  config: OutsideAgentConfig;
  /** @throws ToolFailed where a variable isn't set; Fault where the URL is none */
  reach: () => { url: string; fetch: typeof fetch };
}

/** One agent, by what it speaks. */
export interface AgentAdapter {
  /** What a model reads of it, and what it takes. @throws what the next attempt may do better */
  describe(signal: AbortSignal): Promise<{ description: string; parameters: JsonObject }>;
  /** @throws ToolFailed where nothing was done, InputRequired, TaskBegun */
  call: (args: JsonValue, context: HostCallContext) => Promise<unknown>;
  /** Left out: a call has ended when it stops. */
  tasks?: ToolTasks;
}

/** What is said to an agent, by arguments of these. */
export function saidIn(args: JsonValue): { message: string; data: JsonValue | undefined } {
  const { message, data } = isObject(args) ? args : {};
  return { message: typeof message === 'string' ? message : '', data };
}

/** What most agents take: what is said to them, and data beside. */
export const messageParameters: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What is said to the agent' },
    data: { description: 'Data that goes with it' },
  },
  required: ['message'],
  additionalProperties: false,
};
