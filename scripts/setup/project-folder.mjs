import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './cache-folder.mjs';

/** The folder of package.json: a clone, or the package as npm installed it. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Whether this is a clone. The published package carries no sources, and needs neither packages nor a build. */
export const isClone = existsSync(join(projectFolder, 'src'));

/** Where the paths are written that the set-up found: in a clone beside it, else in the user's cache. */
export function pathsFile() {
  return join(isClone ? join(projectFolder, '.toolchain') : cacheFolder(), 'paths.json');
}

/** The site made of the documents: packages of its own, which only it needs. */
export const siteFolder = join(projectFolder, 'site');
