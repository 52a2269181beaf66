import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import type { ActivityDeps } from '../activity-deps.js';
import { fileFault } from '../file-fault.js';
import { folderName } from '../folder-name.js';
import { pathInside } from '../path-inside.js';

/** Where a model really lies. */
export interface FoundModel {
  /** The worker's folder of models. */
  root: string;
  /** File or folder below it. */
  place: string;
}

/**
 * The file or folder that a procedure names, below the worker's folder of models.
 * @throws TactusError file_failed naming the path as it was given; Fault where it may be readable later
 */
export async function findModel(
  { modelsFolder, filesRoot }: Pick<ActivityDeps, 'modelsFolder' | 'filesRoot'>,
  path: string,
): Promise<FoundModel> {
  const folder = modelsFolder ?? filesRoot;
  try {
    const { root, names } = await pathInside(folder, '', path);
    const place = join(root, ...names);
    await stat(place);
    return { root, place };
  } catch (error) {
    throw fileFault(error, path, folderName(folder, ''), 'folder of models');
  }
}
