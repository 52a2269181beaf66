import { resolve } from 'node:path';
import type { ActivityDeps } from '../activities/index.js';
import type { Environment } from '../contract/environment.js';
import { TactusError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { modelMemoryVariable, modelsFolderVariable, readMemory } from '../contract/model-memory.js';
import { readWarmModels, warmModelsVariable, type WarmModel } from '../contract/warm-model.js';

/**
 * Where a worker's prediction models lie, and how much of them it loads at once, as the environment says.
 * @throws TactusError config_invalid for a size that is none
 */
export function modelSettings(
  env: Environment,
  workingFolder: string,
): Pick<ActivityDeps, 'modelsFolder' | 'modelMemoryBytes'> {
  const { [modelsFolderVariable]: folder = '', [modelMemoryVariable]: memory = '' } = env;
  const bytes = readMemory(memory);
  if (memory !== '' && bytes === null)
    throw new TactusError('config_invalid', `${modelMemoryVariable} must be a size such as 500MB or 4GB`);
  return {
    ...(folder === '' ? {} : { modelsFolder: resolve(workingFolder, folder) }),
    ...(bytes === null ? {} : { modelMemoryBytes: bytes }),
  };
}

/**
 * Models that the environment wants in memory before the first question.
 * @throws TactusError config_invalid where it says something else
 */
export function warmModelsOf({ [warmModelsVariable]: text = '' }: Environment): WarmModel[] {
  if (text.trim() === '') return [];
  let given: JsonValue;
  try {
    given = JSON.parse(text) as JsonValue;
  } catch {
    throw new TactusError('config_invalid', `${warmModelsVariable} must be a list of models as JSON`);
  }
  return readWarmModels(given, warmModelsVariable);
}
