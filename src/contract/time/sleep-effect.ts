import { always, defineEffect } from '../effects/define-effect.js';

/** A durable timer. */
export const sleep = defineEffect<{ kind: 'sleep'; ms: number }>()({
  kind: 'sleep',
  types: ['sleep'],
  identity: { changedWith: [], fields: { kind: always, ms: always } },
  effectClass: () => 'pure',
  shown: ({ ms }) => ({ seconds: ms / 1_000 }),
  wait: 'time',
  failure: 'internal',
  isRemote: false,
  historyEvents: 5,
  drawn: 'sleep',
  example: () => null,
});
