import { always, defineEffect } from '../effects/define-effect.js';

/** Looks at what a model has written, before anything of it is run. */
export const codeCheck = defineEffect<{ kind: 'code_check'; text: string; tools: string[] }>()({
  kind: 'code_check',
  since: '0.5.0',
  types: ['code_check'],
  identity: { changedWith: [], fields: { kind: always, text: always, tools: always } },
  effectClass: () => 'pure',
  shown: ({ text }) => ({ code: text }),
  wait: 'activity',
  failure: 'tool_failed',
  isRemote: false,
  historyEvents: 6,
  drawn: 'tool',
  example: () => ({ problems: [], uses: [], graph: '' }),
});
