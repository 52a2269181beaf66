import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

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
