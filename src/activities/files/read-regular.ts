import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { TactusError } from '../../contract/errors.js';

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
