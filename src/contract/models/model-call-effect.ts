import type { ModelCall } from './model-call.js';
import { always, defineEffect, listed, never, setting, untilSecond } from '../effects/define-effect.js';

/** One request to a language model. */
export const modelCall = defineEffect<{ kind: 'model_call'; call: ModelCall }>()({
  kind: 'model_call',
  types: ['model_call'],
  identity: {
    changedWith: ['versioned-digests'],
    fields: {
      kind: always,
      call: {
        fields: {
          agent: always,
          model: setting,
          system: setting,
          messages: {
            each: {
              role: always,
              content: always,
              toolCalls: { each: { id: always, name: always, arguments: always, invalid: always } },
              toolCallId: always,
              name: always,
              thoughts: never,
            },
          },
          tools: { each: { name: setting, description: setting, parameters: setting } },
          providerTools: {
            each: { name: setting, source: setting, args: setting, procedure: never, approval: never },
          },
          outputSchema: setting,
          isLenient: never,
          isMended: never,
          keepsThoughts: never,
          isInTurn: never,
          settings: {
            fields: {
              temperature: setting,
              maxTokens: setting,
              timeoutMs: untilSecond,
              idleTimeoutMs: listed,
              retry: listed,
              toolChoice: setting,
              topP: setting,
              seed: setting,
              stop: setting,
              reasoningEffort: setting,
              verbosity: setting,
              modelType: never,
              isBackground: never,
              isBatched: never,
            },
          },
        },
      },
    },
  },
  // Without the conversation, which the log holds already.
  effectClass: () => 'model',
  shown: ({ call }) => ({
    model: call.model,
    messages: call.messages.length,
    tools: [...call.tools, ...(call.providerTools ?? [])].map(({ name }) => name),
  }),
  wait: 'activity',
  failure: 'model_call_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'agent',
  example: () => ({
    text: 'hello',
    toolCalls: [],
    finishReason: 'stop',
    usage: { input_tokens: 1, output_tokens: 1 },
    model: 'fake/model',
  }),
});
