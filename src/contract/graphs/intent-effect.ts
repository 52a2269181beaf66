import { always, defineEffect, never } from '../effects/define-effect.js';
import type { Intent } from './super-step.js';

/** Sends one intent of a graph, once its super-step is recorded. */
export const intent = defineEffect<{ kind: 'intent'; key: string; intent: Intent }>()({
  kind: 'intent',
  since: '0.10.0',
  types: ['intent'],
  // The key has the id of the run: a fork, or an import, asks under another one.
  identity: { changedWith: [], fields: { kind: always, key: never, intent: always } },
  effectClass: () => 'once',
  shown: ({ key, intent: { type, payload = null } }) => ({ key, type, payload }),
  wait: 'activity',
  failure: 'delivery_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'http',
  example: ({ key }) => ({ key, status: 'sent', attempts: 1 }),
});

/** What became of an intent. */
export type IntentOutcome =
  | { key: string; status: 'sent'; attempts: number }
  /** Nobody tries again. */
  | { key: string; status: 'failed'; attempts: number; message: string };
