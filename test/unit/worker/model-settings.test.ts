import { expect, it } from 'vitest';
import { workerVariables } from '../../../src/configuration/settings.js';
import { modelSettings } from '../../../src/worker/model-settings.js';

it('what configuration says of prediction models becomes what a worker has', () => {
  const said = workerVariables({ models_folder: 'models', model_memory: '1.5 GB' }, 'tactus.yml');
  expect(modelSettings(said, '/home/work')).toEqual({
    modelsFolder: '/home/work/models',
    modelMemoryBytes: 1_500_000_000,
  });
  expect(modelSettings({}, '/home/work')).toEqual({});
});

it('a size that is none is refused, with where it stands', () => {
  expect(() => workerVariables({ model_memory: 'much' }, 'tactus.yml')).toThrow(
    'tactus.yml: model_memory must be a size such as 500MB or 4GB',
  );
  expect(() => modelSettings({ TACTUS_TEMPORAL_MODEL_MEMORY: '0GB' }, '/')).toThrow('must be a size');
});
