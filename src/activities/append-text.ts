import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { TactusError } from '../contract/errors.js';
import type { At } from './held-folder.js';
import { createQueue, type Queue } from './one-at-a-time.js';
import { replaceFile } from './replace-file.js';

/** Appends that a file remembers: so many may have been performed and not been recorded when workers die. */
const remembered = 1_000;

/** What has been appended, the newest last: `from` is the file's size before. */
interface Appended {
  key: string;
  from: number;
}

const queues = new Map<string, { queue: Queue; waiting: number }>();

/**
 * Adds to the end of a file, once for each key: an attempt after one of which nobody heard finds in a hidden file beside it
 * (`.NAME.appends`) that it was there before. One after the other for all runs of this process.
 */
export async function appendText(
  at: At,
  file: { name: string; path: string; realPath: string },
  content: string,
  key: string,
): Promise<true> {
  const line = queues.get(file.realPath) ?? { queue: createQueue(), waiting: 0 };
  queues.set(file.realPath, line);
  line.waiting++;
  try {
    return await line.queue(() => append(at, file, content, key), new AbortController().signal);
  } finally {
    line.waiting--;
    if (line.waiting === 0) queues.delete(file.realPath);
  }
}

async function append(
  at: At,
  { name, path }: { name: string; path: string },
  content: string,
  key: string,
): Promise<true> {
  const journal = `.${name}.appends`;
  const appended = await readJournal(at(journal));
  const found = appended.findIndex((each) => each.key === key);
  // Others came after it: it was whole then.
  if (found >= 0 && found < appended.length - 1) return true;
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(at(name), flags, 0o666);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new TactusError('file_failed', `${path} is not a regular file`, { path });
    const from = Math.min(appended[found]?.from ?? stats.size, stats.size);
    if (found < 0)
      await replaceFile(at, journal, JSON.stringify([...appended, { key, from }].slice(-remembered)));
    try {
      await handle.truncate(from);
      await writeWhole(handle, Buffer.from(content), from);
      await handle.sync();
    } catch (error) {
      // All of it or nothing: what was written of it is taken back, and the file remembers nothing of it.
      await handle.truncate(from).catch(() => undefined);
      const others = appended.filter((each) => each.key !== key);
      await replaceFile(at, journal, JSON.stringify(others)).catch(() => undefined);
      throw error;
    }
  } finally {
    await handle.close();
  }
  return true;
}

/** The platform may take less than it is given, and says so: on a full disk it takes what fits. */
async function writeWhole(handle: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, from + written);
    written += bytesWritten;
  }
}

async function readJournal(place: string): Promise<Appended[]> {
  try {
    const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
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
