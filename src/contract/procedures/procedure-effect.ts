import type { Budget, CallCeiling } from '../budgets/budget.js';
import type { WrittenCode } from '../tools/code-review.js';
import type { ChildDeadline } from '../time/duration.js';
import type { JsonValue } from '../json/json.js';
import { always, defineEffect, listed, never } from '../effects/define-effect.js';

/** Another file, as a run of its own that is waited for. */
export const procedure = defineEffect<{
  kind: 'procedure';
  file: string;
  input: JsonValue;
  budget?: Budget;
  /** Left out before engine 10: it has the ceiling of this run for itself. */
  ceiling?: CallCeiling;
  /** When it is to have ended; left out: as late as it likes. */
  deadline?: ChildDeadline;
  code?: WrittenCode;
}>()({
  kind: 'procedure',
  types: ['procedure_call'],
  identity: {
    changedWith: [],
    fields: {
      kind: always,
      file: always,
      input: always,
      budget: listed,
      ceiling: never,
      deadline: never,
      code: always,
    },
  },
  effectClass: () => 'once',
  shown: ({ file, input, code }) => (code === undefined ? { file, input } : { code: code.text }),
  wait: 'child',
  failure: 'child_failed',
  isRemote: false,
  historyEvents: 12,
  drawn: 'procedure',
  example: ({ file }) => ({ ran: file }),
});
