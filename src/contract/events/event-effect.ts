import type { JsonObject, JsonValue } from '../json/json.js';
import { always, defineEffect, listed } from '../effects/define-effect.js';

/**
 * The signal that sends an event to a run, from any client: its name and its value, as two arguments. Never rename it.
 */
export const eventSignal = 'event';

/** Waits for something that others send to the run. */
export const event = defineEffect<{
  kind: 'event';
  name: string;
  /** Fields that its value must have; null: any value. */
  match: JsonObject | null;
  timeoutMs: number | null;
}>()({
  kind: 'event',
  since: '0.2.0',
  types: ['event_wait'],
  identity: { changedWith: [], fields: { kind: always, name: always, match: always, timeoutMs: listed } },
  effectClass: () => 'pure',
  shown: ({ name, match, timeoutMs }) => ({
    event: name,
    ...(match === null ? {} : { match }),
    ...(timeoutMs === null ? {} : { seconds: timeoutMs / 1_000 }),
  }),
  wait: 'event',
  failure: 'internal',
  isRemote: false,
  // The signal and its workflow task, and the timer of a wait that has a timeout.
  historyEvents: 6,
  drawn: 'wait',
  example: ({ match }) => ({ value: match ?? {} }),
});

/** What a wait comes to. */
export type EventAnswer = { value: JsonValue } | { timed_out: true };
