import type { Budget, CallCeiling } from '../budgets/budget.js';
import type { ChildDeadline } from '../time/duration.js';
import type { JsonValue } from '../json/json.js';
import { always, defineEffect, listed, never } from '../effects/define-effect.js';

/** Starts another file as a run of its own. */
export const spawn = defineEffect<{
  kind: 'spawn';
  file: string;
  input: JsonValue;
  budget?: Budget;
  /** Left out before engine 10: it has the ceiling of this run for itself. */
  ceiling?: CallCeiling;
  /** When it is to have ended; left out: as late as it likes. */
  deadline?: ChildDeadline;
}>()({
  kind: 'spawn',
  types: ['procedure_spawn'],
  identity: {
    changedWith: [],
    fields: { kind: always, file: always, input: always, budget: listed, ceiling: never, deadline: never },
  },
  effectClass: () => 'once',
  shown: ({ file, input }) => ({ file, input }),
  wait: 'activity',
  failure: 'child_failed',
  isRemote: false,
  // With the child's own word of its end, and the server's.
  historyEvents: 13,
  drawn: 'procedure',
  example: (_effect, position) => `run/${position}`,
});
