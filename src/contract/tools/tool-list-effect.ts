import { always, defineEffect } from '../effects/define-effect.js';

/** What tools there are outside of the run, under the names that a procedure uses; taken once, and kept for the run. */
export const toolList = defineEffect<{ kind: 'tool_list'; sources: string[] }>()({
  kind: 'tool_list',
  since: '0.4.0',
  types: ['tool_list'],
  identity: { changedWith: [], fields: { kind: always, sources: always } },
  effectClass: () => 'pure',
  shown: ({ sources }) => ({ sources }),
  wait: 'activity',
  failure: 'tool_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'tool',
  // Names alone might be misspelt.
  example: ({ sources }) =>
    Object.fromEntries(
      sources.map((source) => [
        source,
        source.includes('.')
          ? {
              tools: [
                { source, description: 'a tool', parameters: { type: 'object' }, effect: 'idempotent' },
              ],
            }
          : { problem: 'nobody has it' },
      ]),
    ),
});
