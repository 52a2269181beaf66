import { constants, existsSync } from 'node:fs';
import { mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Names what lies in a folder that is held. */
export type At = (name: string) => string;

/** Where Linux gives the files that a process holds open by their numbers; null elsewhere. */
const handles = existsSync('/proc/self/fd') ? '/proc/self/fd' : null;

/** Linux's O_PATH, which Node doesn't name: to go through a folder one needn't be allowed to list it. */
const pathOnly = 0o10000000;

/**
 * Does something in the folder to which `names` lead from `root`, none of which may be a link. `make`: folders that
 * aren't there are made. On Linux the folders are held on the way, so whoever meanwhile puts a link in the place of
 * one leads nobody out. Elsewhere Node has no means for that: there the way is looked at before and after.
 */
export async function inFolder<T>(
  { root, names }: { root: string; names: readonly string[] },
  { make, through = handles }: { make: boolean; through?: string | null },
  work: (at: At) => Promise<T>,
): Promise<T> {
  if (through === null) return inNamedFolder(join(root, ...names), make, work);
  let held = await hold(root);
  const at: At = (name) => join(through, String(held.fd), name);
  try {
    for (const name of names) {
      const next = await hold(at(name)).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT' || !make) throw error;
        await makeFolder(at(name));
        return hold(at(name));
      });
      const before = held;
      held = next;
      await before.close();
    }
    return await work(at);
  } finally {
    await held.close();
  }
}

function hold(path: string): Promise<FileHandle> {
  return open(path, pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** Two writes may make the same one. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function inNamedFolder<T>(folder: string, make: boolean, work: (at: At) => Promise<T>): Promise<T> {
  if (make) await mkdir(folder, { recursive: true });
  await assertUnlinked(folder);
  const result = await work((name) => join(folder, name));
  await assertUnlinked(folder);
  return result;
}

async function assertUnlinked(folder: string): Promise<void> {
  // File systems may keep names in another form of Unicode than they were given.
  if ((await realpath(folder)).normalize() === folder.normalize()) return;
  throw Object.assign(new Error('a folder has become a link'), { code: 'ENOTDIR' });
}
