import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import { createQueue, type Queue } from '../retries/failures.js';

const queues = new Map<string, { queue: Queue; waiting: number }>();

/** Changes a file while nobody else in this process does. */
export async function oneAtFile<T>(realPath: string, work: () => Promise<T>): Promise<T> {
  const line = queues.get(realPath) ?? { queue: createQueue(), waiting: 0 };
  queues.set(realPath, line);
  line.waiting++;
  try {
    return await line.queue(work, new AbortController().signal);
  } finally {
    line.waiting--;
    if (line.waiting === 0) queues.delete(realPath);
  }
}

/**
 * Adds to the end of a file, once for each key. An attempt after one of which nobody heard finds what that one added, and
 * completes it where it is the end of the file.
 */
export async function appendText(
  at: At,
  { name, path }: { name: string; path: string },
  content: string,
  key: string,
): Promise<true> {
  const bytes = Buffer.from(content);
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(at(name), flags, 0o666);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new TactusError('file_failed', `${path} is not a regular file`, { path });
    const appends = await readAppends(at, name);
    const { from, before, isThere } = await placeOf(handle, stats.size, { appends, key, bytes });
    if (isThere) return true;
    await rememberAppends(at, name, [...before, { key, from }]);
    try {
      await handle.truncate(from);
      await writeWhole(handle, bytes, from);
      await handle.sync();
    } catch (error) {
      // All of it or nothing: what was written of it is taken back, and the file remembers nothing of it.
      await handle.truncate(from).catch(() => undefined);
      await rememberAppends(at, name, before).catch(() => undefined);
      throw error;
    }
  } finally {
    await handle.close();
  }
  return true;
}

interface Place {
  /** Size of the file before the append. */
  from: number;
  /** What it remembers then. */
  before: Appended[];
  /** The append was performed before. */
  isThere: boolean;
}

/** Finds where an append begins: at the end, unless an earlier attempt began it and the file still has it. */
async function placeOf(
  handle: FileHandle,
  size: number,
  { appends, key, bytes }: { appends: Appended[]; key: string; bytes: Buffer },
): Promise<Place> {
  const found = appends.findIndex((each) => each.key === key);
  const { from = size } = appends[found] ?? {};
  const before = appends.filter((each) => each.key !== key);
  // Other appends followed: it was whole then.
  if (found >= 0 && found < appends.length - 1) return { from, before, isThere: true };
  const atEnd = { from: size, before, isThere: false };
  // Somebody has made the file shorter since.
  if (found < 0 || from > size) return atEnd;
  const there = Buffer.alloc(Math.min(size - from, bytes.length));
  await handle.read(there, 0, there.length, from);
  // Somebody has written the file anew since: their text is not ours to cut off.
  if (!there.equals(bytes.subarray(0, there.length))) return atEnd;
  // A worker that died over it leaves a part of it at the end of the file.
  return { from, before, isThere: there.length === bytes.length };
}

/** The platform may take less than it is given, and says so: on a full disk it takes what fits. */
async function writeWhole(handle: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, from + written);
    written += bytesWritten;
  }
}

/** Appends that a file remembers: so many may have been performed and not been recorded when workers die. */
const remembered = 1_000;

/** What has been appended, the newest last: `from` is the file's size before. */
interface Appended {
  key: string;
  from: number;
}

/**
 * What a file remembers of its appends, in a hidden file beside it, `.NAME.appends`: an attempt after one of which nobody
 * heard finds that it was there before.
 */
async function readAppends(at: At, name: string): Promise<Appended[]> {
  try {
    const handle = await open(at(journalOf(name)), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return JSON.parse(await handle.readFile('utf8')) as Appended[];
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function rememberAppends(at: At, name: string, appends: readonly Appended[]): Promise<void> {
  await replaceFile(at, journalOf(name), JSON.stringify(appends.slice(-remembered)));
}

/** Forgets all appends: the file begins anew, and what was appended before is no longer in it. */
export async function forgetAppends(at: At, name: string): Promise<void> {
  await rm(at(journalOf(name)), { force: true });
}

function journalOf(name: string): string {
  return `.${name}.appends`;
}

/** All or nothing: whoever reads meanwhile, or after a crash, finds the old content or the new one. */
export async function replaceFile(at: At, name: string, content: string | Uint8Array): Promise<void> {
  const temporary = at(`.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Follows no link: whatever has the name is replaced.
    await rename(temporary, at(name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * All of a file.
 * @throws TactusError file_failed where it is no regular file; payload_too_large
 */
export async function readRegular(place: string, path: string, limit: number): Promise<Buffer> {
  // Without waiting: to open a named pipe would else hang until somebody writes to it. No link is left on the way: one
  // that is there now was put there meanwhile.
  const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(path);
    if (stats.size > limit) throw tooLarge(path, stats.size, limit);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * What a link leads to was followed, unless it leads nowhere: nobody can say what would be made of it.
 * @throws TactusError file_failed
 */
export async function assertNoDeadLink(place: string, path: string): Promise<void> {
  if ((await lstat(place).catch(() => null))?.isSymbolicLink() === true)
    throw new TactusError('file_failed', `${path} is a link that leads nowhere`, { path });
}

export function notRegular(path: string): TactusError {
  return new TactusError('file_failed', `${path} is not a regular file`, { path });
}

function tooLarge(path: string, bytes: number, limit: number): TactusError {
  return new TactusError('payload_too_large', `${path} has ${bytes} bytes; at most ${limit} can be read`, {
    path,
    bytes,
    limit,
  });
}

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
