import type { JsonValue } from '../json.js';
import { always, defineEffect } from './define-effect.js';

/** Another file, as a run of its own that is waited for. */
export const procedure = defineEffect<{ kind: 'procedure'; file: string; input: JsonValue }>()({
  kind: 'procedure',
  types: ['procedure_call'],
  identity: { version: 1, fields: { kind: always, file: always, input: always } },
  shown: ({ file, input }) => ({ file, input }),
  wait: 'child',
  failure: 'child_failed',
  isRemote: false,
  historyEvents: 12,
  drawn: 'procedure',
  example: ({ file }) => ({ ran: file }),
});
