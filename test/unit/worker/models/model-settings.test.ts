import { expect, it } from 'vitest';
import { workerVariables } from '../../../../src/configuration/settings.js';
import { modelSettings, warmModelsOf } from '../../../../src/worker/worker-environment.js';

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

it('models that are loaded ahead are those that the configuration names, as procedures declare them', () => {
  const said = workerVariables(
    {
      warm_models: [
        { type: 'onnx', path: 'iris.onnx' },
        { type: 'bert', model: 'mood', dtype: 'q8' },
        { type: 'registry', name: 'churn', version: 'champion' },
      ],
    },
    'tactus.yml',
  );
  expect(warmModelsOf(said)).toEqual([
    { type: 'onnx', settings: { path: 'iris.onnx' } },
    { type: 'bert', settings: { path: 'mood', dtype: 'q8' } },
    { type: 'registry', settings: { name: 'churn', version: 'champion' } },
  ]);
  expect(warmModelsOf({})).toEqual([]);
});

it.each([
  ['iris.onnx', 'tactus.yml: warm_models must be a list of models'],
  [['iris.onnx'], 'tactus.yml: warm_models[1] must have the type of a model that is loaded'],
  [[{ type: 'sagemaker', endpoint: 'a' }], 'warm_models[1] must have the type'],
  [[{ type: 'onnx', path: 'a' }, { type: 'onnx' }], 'warm_models[2] must say which model it is'],
  [[{ type: 'sklearn', name: 'a' }], 'warm_models[1] must say which model it is'],
])('%j are none, and that is said', (warm_models, message) => {
  expect(() => workerVariables({ warm_models }, 'tactus.yml')).toThrow(message);
});

it('models of the environment that are no JSON are refused', () => {
  expect(() => warmModelsOf({ TACTUS_TEMPORAL_WARM_MODELS: 'iris.onnx' })).toThrow(
    'TACTUS_TEMPORAL_WARM_MODELS must be a list as JSON',
  );
});
