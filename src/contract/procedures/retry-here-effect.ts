import type { Spent } from '../models/model-call.js';
import { always, defineEffect, never } from '../effects/define-effect.js';

/**
 * Tries a part of the procedure again from what failed in it: the run continues as new with its log, without the checkpoints that are gone. It is
 * answered only where that can't be done, by why.
 */
export const retryHere = defineEffect<{
  kind: 'retry_here';
  /** Of the checkpoint that failed. */
  at: string;
  gone: string[];
  /** What budgets have counted of them. */
  spent: Spent[];
  /** Who wants it; null: nobody was named. */
  by: string | null;
  /** All there is done anew: it was taken back, or its own code failed. */
  isAnew: boolean;
}>()({
  kind: 'retry_here',
  since: '0.10.0',
  types: ['retry_here'],
  identity: {
    changedWith: [],
    fields: { kind: always, at: always, gone: never, spent: never, by: never, isAnew: never },
  },
  effectClass: () => 'pure',
  shown: ({ at, by }) => ({ at, by }),
  wait: 'activity',
  failure: 'internal',
  isRemote: false,
  // The proof, and those with which the next execution begins.
  historyEvents: 14,
  drawn: 'procedure',
  example: () => 'this host does not do it',
});
