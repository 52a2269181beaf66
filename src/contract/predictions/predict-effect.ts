import type { Prediction } from './served-model.js';
import { always, defineEffect, listed, never, setting, untilSecond } from '../effects/define-effect.js';

/** One question to a prediction model. */
export const predict = defineEffect<{ kind: 'predict'; prediction: Prediction }>()({
  kind: 'predict',
  types: ['model_predict'],
  identity: {
    changedWith: ['versioned-digests'],
    fields: {
      kind: always,
      prediction: {
        fields: {
          model: always,
          backend: {
            fields: {
              type: setting,
              value: setting,
              endpoint: setting,
              timeoutMs: untilSecond,
              retry: listed,
              headers: setting,
              method: setting,
              response: setting,
              cost: never,
            },
          },
          input: always,
        },
      },
    },
  },
  effectClass: () => 'model',
  shown: ({ prediction }) => prediction.input,
  told: (_, { value }) => ({ value: { output: value, cost: null } }),
  wait: 'activity',
  failure: 'predict_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'model',
  example: ({ prediction: { backend } }) => ({
    output: backend.type === 'mock' ? backend.value : null,
    cost: null,
  }),
});
