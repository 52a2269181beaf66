import { TactusError } from '../../../contract/errors.js';
import { localModel } from './local.js';
import { plainProvider, type Provider } from './provider.js';

/** The one small model on this machine. */
export const local: Provider = {
  ...plainProvider,
  name: 'local',
  defaultModel: 'smollm2-135m-instruct',
  pricesName: 'local',
  key: null,
  needs: () => [],
  model({ model, local: runtime, attempt }) {
    if (runtime !== null) return Promise.resolve(localModel({ runtime, model, attempt }));
    throw new TactusError(
      'unknown_model',
      'This worker has no local model: tactus-temporal doctor says how to get it, and a worker of your own is given it as localModel; or set OPENAI_API_KEY or ANTHROPIC_API_KEY',
      { lacking: 'local model' },
    );
  },
};
