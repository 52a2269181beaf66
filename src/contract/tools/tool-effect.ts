import type { ToolInvocation } from './outside-tool.js';
import { always, defineEffect, derived, listed, never, setting } from '../effects/define-effect.js';

/** One attempt at a call of a tool outside of the run. */
export const tool = defineEffect<{ kind: 'tool'; invocation: ToolInvocation }>()({
  kind: 'tool',
  since: '0.4.0',
  types: ['tool_attempt'],
  identity: {
    changedWith: [],
    fields: {
      kind: always,
      invocation: {
        fields: {
          operation: always,
          source: always,
          // They are those of the call around it, which is compared as it was written.
          args: derived,
          effect: never,
          request: {
            fields: {
              ...{ method: always, url: always, headers: setting, body: derived },
              ...{ timeoutMs: listed, retry: listed },
            },
          },
          call: always,
          procedure: never,
          timeoutMs: listed,
          retry: listed,
          approval: never,
          version: never,
          inputs: always,
          task: always,
        },
      },
    },
  },
  effectClass: ({ invocation }) => (invocation.operation === 'call' ? invocation.effect : 'pure'),
  shown: ({ invocation: { operation, source, args, task } }) => ({
    ...{ operation, source, args },
    ...(task === undefined ? {} : { task }),
  }),
  wait: 'activity',
  failure: 'tool_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'tool',
  example: ({ invocation: { source, args } }) => ({ kind: 'done', value: { source, args } }),
});
