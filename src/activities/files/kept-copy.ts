import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, open, rename, rm } from 'node:fs/promises';
import { forgetAppends, notRegular, replaceFile, type At } from './regular-files.js';

/**
 * How a file was when a call began that may yet be undone: a copy beside it, or a mark that there was none. Both are hidden, so no procedure
 * sees them. Each step can be done again after a crash.
 */
function placesOf(name: string, key: string): { copy: string; none: string } {
  const id = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return { copy: `.${name}.${id}.before`, none: `.${name}.${id}.none` };
}

/** Keeps a file as it is, unless it is kept for this key already. @throws TactusError file_failed where it is no regular file */
export async function keepCopy(at: At, name: string, path: string, key: string): Promise<true> {
  const { copy, none } = placesOf(name, key);
  if ((await isThere(at(copy))) || (await isThere(at(none)))) return true;
  const stats = await lstat(at(name)).catch(orMissing);
  if (stats === null) {
    await replaceFile(at, none, '');
    return true;
  }
  if (!stats.isFile()) throw notRegular(path);
  const temporary = at(`.${randomUUID()}.tmp`);
  try {
    await copyFile(at(name), temporary, constants.COPYFILE_EXCL);
    const handle = await open(temporary, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(temporary, at(copy));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return true;
}

/** Puts a file back as it was kept. Where nothing is kept, it was put back before. */
export async function restoreCopy(at: At, name: string, key: string): Promise<true> {
  const { copy, none } = placesOf(name, key);
  if (await isThere(at(copy))) {
    await forgetAppends(at, name);
    await rename(at(copy), at(name));
  } else if (await isThere(at(none))) {
    await forgetAppends(at, name);
    await rm(at(name), { force: true });
    await rm(at(none), { force: true });
  }
  return true;
}

export async function forgetCopy(at: At, name: string, key: string): Promise<true> {
  const { copy, none } = placesOf(name, key);
  await rm(at(copy), { force: true });
  await rm(at(none), { force: true });
  return true;
}

async function isThere(place: string): Promise<boolean> {
  return (await lstat(place).catch(orMissing)) !== null;
}

function orMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
