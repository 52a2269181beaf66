import { resolve } from 'node:path';
import type { ActivityDeps } from '../activities/index.js';
import type { Environment } from '../contract/environment.js';
import { TactusError } from '../contract/errors.js';
import { modelMemoryVariable, modelsFolderVariable, readMemory } from '../contract/model-memory.js';

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
