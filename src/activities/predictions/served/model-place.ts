import { isAbsolute, join, relative, resolve } from 'node:path';
import { realpath, stat } from 'node:fs/promises';
import { TactusError } from '../../../contract/errors.js';
import { usualModelsFolder } from '../../../contract/predictions/loaded-models.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { fileFault, folderName } from '../../files/file-fault.js';
import { pathInside } from '../../files/path-inside.js';

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
  {
    workingFolder = process.cwd(),
    modelsFolder = join(workingFolder, usualModelsFolder),
    filesRoot,
  }: Pick<ActivityDeps, 'modelsFolder' | 'filesRoot' | 'workingFolder'>,
  path: string,
): Promise<FoundModel> {
  const folder = modelsFolder;
  try {
    if (await overlap(folder, filesRoot))
      throw new TactusError(
        'file_failed',
        `${path} is not read: procedures can write to the folder of models. Keep models and files apart (models_folder, --files)`,
        { path },
      );
    const { root, names } = await pathInside(folder, '', path);
    const place = join(root, ...names);
    await stat(place);
    return { root, place };
  } catch (error) {
    throw fileFault(error, path, folderName(folder, ''), 'folder of models');
  }
}

/** Whether one folder lies in the other: what a procedure writes would be a model then. */
export async function overlap(models: string, files: string): Promise<boolean> {
  const [one, other] = await Promise.all(
    [models, files].map((path) => realpath(path).catch(() => resolve(path))),
  );
  return isWithin(one ?? '', other ?? '') || isWithin(other ?? '', one ?? '');
}

function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below.split(/[/\\]/)[0] !== '..' && !isAbsolute(below);
}
