import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileEffect } from '../contract/effects.js';
import { TactusError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { defaultLimits } from '../contract/limits.js';
import type { ActivityDeps } from './activity-deps.js';
import { assertResultFits } from './assert-result-fits.js';
import { atEdge } from './failures.js';
import { fileFault } from './file-fault.js';
import { pathInside } from './path-inside.js';

export type FileInput = Omit<FileEffect, 'kind'> & {
  /** The same at every attempt. */
  idempotencyKey: string;
};

/**
 * One operation on a file below the worker's directory of files: `read` gives its text, `write` true, `exists` a
 * boolean, `size` bytes. A second attempt at a write leaves the same file as the first.
 * @throws ApplicationFailure of type file_failed or payload_too_large, which names the path as it was given
 */
export async function file(
  deps: ActivityDeps,
  { operation, path, content, folder = '' }: FileInput,
): Promise<JsonValue> {
  return atEdge({ code: 'file_failed', subject: `File ${path}`, secrets: () => [] }, async () => {
    try {
      if (operation === 'write') await mkdir(deps.filesRoot, { recursive: true });
      const real = await pathInside(await rootFor(deps, folder), path);
      switch (operation) {
        case 'read':
          return await readText(real, path);
        case 'write':
          return await writeText(real, content ?? '');
        case 'exists':
          return (await stat(real)).isFile();
        case 'size':
          return await sizeOf(real, path);
      }
    } catch (error) {
      if (operation === 'exists' && isMissing(error)) return false;
      throw fileFault(error, path);
    }
  });
}

/** The directory that a path begins in, and can't leave. */
async function rootFor({ filesRoot, outerFolders = [] }: ActivityDeps, folder: string): Promise<string> {
  if (folder === '') return filesRoot;
  return outerFolders.includes(folder) ? folder : pathInside(filesRoot, folder);
}

async function readText(real: string, path: string): Promise<string> {
  // Without waiting: to open a named pipe would else hang until somebody writes to it.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new TactusError('file_failed', `${path} is not a regular file`, { path });
    if (stats.size > defaultLimits.payloadBytes) throw tooLarge(path, stats.size);
    const text = decode(await handle.readFile(), path);
    // Lines end in one way, wherever the file was written: procedures look for "\n".
    return assertResultFits(text.replace(/\r\n?/g, '\n'), `The text of ${path}`);
  } finally {
    await handle.close();
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TactusError('file_failed', `${path} is not UTF-8 text`, { path });
  }
}

/** All or nothing: whoever reads meanwhile, or after a crash, finds the old text or the new one. */
async function writeText(real: string, content: string): Promise<true> {
  const folder = dirname(real);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(content, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, real);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return true;
}

async function sizeOf(real: string, path: string): Promise<number> {
  const stats = await stat(real);
  if (!stats.isFile()) throw new TactusError('file_failed', `${path} is not a regular file`, { path });
  return stats.size;
}

function tooLarge(path: string, bytes: number): TactusError {
  const limit = defaultLimits.payloadBytes;
  return new TactusError('payload_too_large', `${path} has ${bytes} bytes; at most ${limit} can be read`, {
    path,
    bytes,
    limit,
  });
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
