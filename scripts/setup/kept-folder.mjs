import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256OfFile } from './verify-hash.mjs';

/** @typedef {{ key: string, files: Record<string, { size: number, mtime: number, sha256: string }> }} Seal */

const sealFile = 'complete.json';
const draftMark = '.part-';

/**
 * A folder of the cache that is either whole or made anew. It is filled under another name and moved into
 * place, so that a broken download, or two clones at once, never leave half of one.
 * @param {string} folder
 * @param {object} options
 * @param {string} options.key what the content is made from; another key makes it anew
 * @param {readonly string[]} options.files the files that are looked at to see whether it is whole
 * @param {(folder: string) => Promise<void>} options.fill
 * @returns {Promise<boolean>} whether it had to be filled
 */
export async function keptFolder(folder, { key, files, fill }) {
  if (await isWhole(folder, key)) return false;
  await removeOldDrafts(folder);
  const draft = await mkdtemp(`${folder}${draftMark}`);
  try {
    await fill(draft);
    await seal(draft, key, files);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    // Another process may have put the same folder there in the meantime.
    if (!(await isWhole(folder, key))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return true;
}

/**
 * What a set-up that was killed left half done. Younger ones may be another process at work.
 * @param {string} folder
 */
async function removeOldDrafts(folder) {
  await mkdir(dirname(folder), { recursive: true });
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}${draftMark}`)) continue;
    const place = join(dirname(folder), name);
    const { mtimeMs } = await stat(place);
    if (Date.now() - mtimeMs > 3_600_000) await rm(place, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} key
 * @param {readonly string[]} names
 */
async function seal(folder, key, names) {
  /** @type {Seal} */
  const content = { key, files: {} };
  for (const name of names) {
    const { size, mtimeMs } = await stat(join(folder, name));
    content.files[name] = {
      size,
      mtime: Math.trunc(mtimeMs),
      sha256: await sha256OfFile(join(folder, name)),
    };
  }
  await writeFile(join(folder, sealFile), JSON.stringify(content, null, 2));
}

/**
 * @param {string} folder
 * @param {string} key
 */
async function isWhole(folder, key) {
  try {
    /** @type {Seal} */
    const content = JSON.parse(await readFile(join(folder, sealFile), 'utf8'));
    if (content.key !== key) return false;
    for (const [name, { size, mtime, sha256 }] of Object.entries(content.files)) {
      const found = await stat(join(folder, name));
      if (found.size !== size) return false;
      // Hashing a hundred megabytes each time would be felt: it is done only for files that were touched.
      if (Math.trunc(found.mtimeMs) !== mtime && (await sha256OfFile(join(folder, name))) !== sha256)
        return false;
    }
    return true;
  } catch {
    return false;
  }
}
