import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * One hash over the names and contents of files and folders, to see whether a build is needed.
 * @param {string} root
 * @param {readonly string[]} places files and folders in it; what is not there is left out
 * @param {(file: string) => boolean} counts
 */
export async function contentHash(root, places, counts = () => true) {
  const files = (await Promise.all(places.map((place) => filesIn(root, place)))).flat().filter(counts).sort();
  const contents = await Promise.all(files.map((file) => readFile(join(root, file))));
  const hash = createHash('sha256');
  files.forEach((file, index) => {
    const content = contents[index] ?? '';
    hash.update(`${file}\0${content.length}\0`).update(content);
  });
  return hash.digest('hex');
}

/**
 * @param {string} root
 * @param {string} place
 * @returns {Promise<string[]>}
 */
async function filesIn(root, place) {
  try {
    const entries = await readdir(join(root, place), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOTDIR') return [place];
    if (code === 'ENOENT') return [];
    throw error;
  }
}
