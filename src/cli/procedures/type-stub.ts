import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../contract/errors.js';

/** Where the stub lies in a project, below its folder. Not in `.tactus-temporal/`: whoever clones the project wants it too. */
export const stubFolder = 'tactus-types';

const ownFolder = fileURLToPath(new URL('../../../types', import.meta.url));

/** How every file of the stub begins, in any version of it. */
const firstWord = '---@meta';

export interface CopiedStub {
  /** Names of the files, below `stubFolder`. */
  files: string[];
  /** Those of an older version that aren't in this one. */
  removed: string[];
}

/**
 * Puts the files that describe the language to an editor into a project, in place of those of another version.
 * @throws TactusError usage where the project is no folder
 */
export async function copyStub(project: string): Promise<CopiedStub> {
  const isFolder = await stat(project).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new TactusError('usage', `There is no folder ${project}`);
  const files = await luaFilesIn(ownFolder);
  const target = join(project, stubFolder);
  const removed = await removeOthers(target, files);
  for (const file of files) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await writeFile(join(target, file), await readFile(join(ownFolder, file)));
  }
  return { files, removed };
}

async function removeOthers(target: string, files: readonly string[]): Promise<string[]> {
  const removed: string[] = [];
  for (const file of await luaFilesIn(target).catch(() => [])) {
    if (files.includes(file)) continue;
    // What somebody else has put there stays.
    if (!(await readFile(join(target, file), 'utf8')).startsWith(firstWord)) continue;
    await rm(join(target, file));
    removed.push(file);
  }
  return removed;
}

/** In the order of their names, with `/` between folders. */
async function luaFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.lua'))
    .sort();
}
