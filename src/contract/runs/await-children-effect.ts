import { always, defineEffect, setting } from '../effects/define-effect.js';

/** How long child runs are waited for: not at all, until one of them has ended, or until all have. */
export type ChildrenUntil = 'now' | 'any' | 'all';

/** Looks at other runs, or waits for their ends. */
export const awaitChildren = defineEffect<{
  kind: 'children';
  ids: string[];
  until: ChildrenUntil;
  timeoutMs: number | null;
}>()({
  kind: 'children',
  types: ['procedure_wait', 'procedure_status', 'external_children_wait'],
  identity: { changedWith: [], fields: { kind: always, ids: always, until: always, timeoutMs: setting } },
  effectClass: () => 'pure',
  shown: ({ ids, timeoutMs }) => ({
    runs: ids,
    ...(timeoutMs === null ? {} : { seconds: timeoutMs / 1_000 }),
  }),
  wait: 'child',
  failure: 'child_failed',
  isRemote: false,
  // Runs that others have started are looked at again and again, in longer and longer pauses.
  historyEvents: 11,
  drawn: 'wait',
  example: ({ ids }) => ({
    children: ids.map((id) => ({
      ...{ id, status: 'completed', terminal: true, output: { ran: id }, error: null },
    })),
    complete: true,
  }),
});
