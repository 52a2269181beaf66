import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedName } from '../../activities/files/refused-name.js';

/**
 * Copies what procedures may use of a folder, with the folders in it. Links stay links, and lead nowhere else than before
 * only within the folder. What is neither file, folder nor link is left out.
 * @param leftOut a folder that is left out: the one that copies are made in, which may lie in what is copied
 */
export async function copyFixtures(from: string, to: string, leftOut: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (refusedName(entry.name) !== null) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if ((await realpath(source)) !== leftOut) await copyFixtures(source, target, leftOut);
    }
    // Where the disk can share what two files have in common, nothing is copied.
    else if (entry.isFile()) await copyFile(source, target, constants.COPYFILE_FICLONE);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
  }
}
