import type { ModelRun } from './served-model.js';
import { always, defineEffect, listed, setting } from '../effects/define-effect.js';

/** Questions to a prediction model that a worker loads or reaches. */
export const runModel = defineEffect<{ kind: 'run_model'; run: ModelRun }>()({
  kind: 'run_model',
  since: '0.8.0',
  types: ['model_predict'],
  identity: {
    changedWith: [],
    fields: {
      kind: always,
      run: {
        fields: {
          model: always,
          backend: {
            fields: { type: setting, settings: setting, timeoutMs: listed, retry: listed, taskQueue: listed },
          },
          inputs: always,
        },
      },
    },
  },
  effectClass: () => 'model',
  shown: ({ run: { inputs } }) => (inputs.length === 1 ? (inputs[0] ?? null) : inputs),
  told: ({ run }, { value }) =>
    run.inputs.length === 1
      ? { value: { outputs: [value], cost: null, version: null } }
      : { wrong: 'one prediction is no answer to several questions' },
  wait: 'activity',
  failure: 'predict_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'model',
  example: ({ run }) => ({ outputs: run.inputs.map(() => null), cost: null, version: null }),
});
