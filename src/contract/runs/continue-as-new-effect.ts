import { always, defineEffect } from '../effects/define-effect.js';
import type { JsonObject, JsonValue } from '../json/json.js';

/**
 * Ends a pass of the run: it begins again from the top, with another input and its state, and without its log. Nothing
 * answers it, for the procedure doesn't go on behind it.
 */
export const continueAsNew = defineEffect<{ kind: 'continue_as_new'; input: JsonValue; state: JsonObject }>()(
  {
    kind: 'continue_as_new',
    since: '0.10.0',
    types: ['continue_as_new'],
    identity: { changedWith: [], fields: { kind: always, input: always, state: always } },
    effectClass: () => 'idempotent',
    shown: ({ input }) => ({ input }),
    wait: 'activity',
    failure: 'internal',
    isRemote: false,
    // Those with which the next execution begins.
    historyEvents: 8,
    drawn: 'procedure',
    example: () => null,
  },
);
