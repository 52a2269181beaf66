import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import { TactusError } from '../../contract/errors.js';
import type { ActivityDeps } from '../activity-deps.js';
import { fileFault } from '../files/file-fault.js';
import { folderName } from '../files/folder-name.js';
import { pathInside } from '../files/path-inside.js';

/** A folder of texts. */
export interface CorpusPlace {
  /** As the procedure names it. */
  name: string;
  /** Where it really lies. */
  folder: string;
}

/**
 * The folder that a procedure names, below the worker's folder of corpora.
 * @throws TactusError file_failed naming it as it was given; Fault where it may be readable later
 */
export async function findCorpus(
  { corporaFolder, filesRoot, keptPaths }: Pick<ActivityDeps, 'corporaFolder' | 'filesRoot' | 'keptPaths'>,
  name: string,
): Promise<CorpusPlace> {
  const root = corporaFolder ?? filesRoot;
  try {
    const inside = await pathInside(root, '', name, keptPaths);
    const folder = join(inside.root, ...inside.names);
    if (!(await stat(folder)).isDirectory())
      throw new TactusError('file_failed', `${name} is a file, and a corpus is a folder of them`, {
        path: name,
      });
    return { name, folder };
  } catch (error) {
    throw fileFault(error, name, folderName(root, ''), 'folder of corpora');
  }
}
