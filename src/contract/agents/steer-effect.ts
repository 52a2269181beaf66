import { isObject, type JsonValue } from '../json/json.js';
import { always, defineEffect } from '../effects/define-effect.js';

/** The signal that says something to an agent of a run, from any client: a `Steering`. Never rename it. */
export const steerSignal = 'steer';

/** What is kept for agents that haven't taken it travels with a run that continues as new. In bytes of JSON. */
export const maxSteeringBytes = 200_000;

/** What somebody says to an agent that is at work. */
export interface Steering {
  message: string;
  /** Name of the agent; left out: the one that asks its model next. */
  agent?: string;
  /** An answer that the agent's model is at is broken off. */
  interrupt?: boolean;
  /** Who says so. Not proof: any client of the namespace can write any name. */
  by?: string;
}

/** What came by signal; null where it is none. */
export function readSteering(given: unknown): Steering | null {
  if (typeof given !== 'object' || given === null || !isObject(given as JsonValue)) return null;
  const { message, agent = null, interrupt = false, by = null } = given as Record<string, unknown>;
  if (typeof message !== 'string' || message.trim() === '') return null;
  return {
    message,
    ...(typeof agent === 'string' && agent !== '' ? { agent } : {}),
    ...(interrupt === true ? { interrupt } : {}),
    ...(typeof by === 'string' && by !== '' ? { by } : {}),
  };
}

/** An agent takes what has been said to it: asked for only where there is something. */
export const steer = defineEffect<{ kind: 'steer'; agent: string }>()({
  kind: 'steer',
  since: '0.6.0',
  types: ['steering'],
  identity: { changedWith: [], fields: { kind: always, agent: always } },
  effectClass: () => 'pure',
  shown: ({ agent }) => ({ agent }),
  wait: 'event',
  failure: 'internal',
  isRemote: false,
  // The signal, and its workflow task.
  historyEvents: 4,
  drawn: 'wait',
  example: () => ({ messages: [] }),
});

/** What an agent has been told, in the order in which it came. */
export interface SteeringTaken {
  messages: Pick<Steering, 'message' | 'by'>[];
}
