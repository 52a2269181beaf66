import { globSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { TactusError } from '../contract/errors.js';
import { procedureNameOf } from '../contract/procedures/published.js';

/**
 * The file of a procedure, `review` or `review.tac`, in the first of the folders that has it; null where none has.
 * @throws TactusError source_not_found where no file could have such a name
 */
export async function findProcedure(folders: readonly string[], procedure: string): Promise<string | null> {
  const name = procedureNameOf(procedure);
  if (name === null)
    throw new TactusError('source_not_found', `${JSON.stringify(procedure)} is no name of a procedure`, {
      procedure,
    });
  for (const folder of folders) {
    const file = join(folder, `${name}.tac`);
    const stats = await stat(file).catch(() => null);
    if (stats?.isFile() === true) return file;
  }
  return null;
}

/** Files of procedures in a folder and those below it, from there: `a/b.tac`. Hidden folders and packages are left out. */
export function proceduresIn(folder: string): string[] {
  return globSync('**/*.tac', {
    cwd: folder,
    exclude: (name: string) => name.startsWith('.') || name === 'node_modules',
  }).map((file) => file.replaceAll('\\', '/'));
}

/**
 * Where a procedure's file lies for a worker whose directory of files is `workingFolder`: relative to it, with `/`
 * between and empty for the directory itself; the absolute path of the file's folder where that is elsewhere.
 */
export function folderOf(file: string, workingFolder: string): string {
  const folder = dirname(resolve(workingFolder, file));
  const below = relative(workingFolder, folder);
  const isBelow = below.split(sep)[0] !== '..' && !isAbsolute(below);
  return isBelow ? below.split(sep).join('/') : folder;
}
