import { resolve } from 'node:path';
import type { ActivityDeps } from '../../activities/index.js';
import { corporaFolderVariable, indexesFolderVariable } from '../../contract/retrieval/retrieval.js';
import type { Environment } from '../../contract/environment.js';

/** Where a worker's corpora lie, and where it keeps their indexes, as the environment says. */
export function corporaSettings(
  env: Environment,
  workingFolder: string,
): Pick<ActivityDeps, 'corporaFolder' | 'indexesFolder'> {
  const { [corporaFolderVariable]: corpora = '', [indexesFolderVariable]: indexes = '' } = env;
  return {
    ...(corpora === '' ? {} : { corporaFolder: resolve(workingFolder, corpora) }),
    ...(indexes === '' ? {} : { indexesFolder: resolve(workingFolder, indexes) }),
  };
}
