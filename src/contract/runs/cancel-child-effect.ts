import { always, defineEffect } from '../effects/define-effect.js';

/** Asks a child run to end. */
export const cancelChild = defineEffect<{ kind: 'cancel_child'; id: string }>()({
  kind: 'cancel_child',
  types: ['procedure_cancel'],
  identity: { changedWith: [], fields: { kind: always, id: always } },
  effectClass: () => 'idempotent',
  shown: ({ id }) => ({ run: id }),
  wait: 'activity',
  failure: 'child_failed',
  isRemote: false,
  historyEvents: 9,
  drawn: 'wait',
  example: ({ id }) => ({ id, status: 'cancelled', terminal: true, output: null, error: 'cancelled' }),
});
