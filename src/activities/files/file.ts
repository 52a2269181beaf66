import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileEffect } from '../../contract/files/file-effect.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { defaultLimits } from '../../contract/runs/limits.js';
import type { ActivityDeps } from '../activity-deps.js';
import {
  appendText,
  assertNoDeadLink,
  forgetAppends,
  inFolder,
  notRegular,
  oneAtFile,
  readRegular,
  replaceFile,
  type At,
} from './regular-files.js';
import { assertResultFits, atEdge } from '../retries/failures.js';
import { forgetCopy, keepCopy, restoreCopy } from './kept-copy.js';
import { fileFault, filesPlace } from './file-fault.js';
import { KeptPaths, pathInside, refusedName } from './path-inside.js';
import type { FileInput } from '../../contract/activities.js';

const reading: readonly string[] = ['read', 'exists', 'size', 'list'];
/** Folders are made on the way. */
const making: readonly string[] = ['write', 'append', 'keep'];
const putting: readonly string[] = ['restore', 'forget'];

/**
 * One operation on a file below the worker's folder of files: `read` gives its text, `write`, `append` and `delete` true,
 * `exists` a boolean, `size` bytes, `list` the names in a folder. A second attempt leaves the same file as the first. What procedures may not use (sources,
 * configuration, names with a dot before them) is neither written nor read nor looked for.
 * @throws ApplicationFailure of type file_failed or payload_too_large, which names the path as it was given
 */
export async function file(
  deps: ActivityDeps,
  { operation, path, content, folder, idempotencyKey }: FileInput,
): Promise<JsonValue> {
  return atEdge({ code: 'file_failed', subject: `File ${path}`, secrets: () => [] }, async () => {
    const make = making.includes(operation);
    const where = folder === undefined ? { path } : { folder, path };
    const action = reading.includes(operation) ? 'read' : 'change';
    const { root, below, name: folderName } = await filesPlace(deps, where, action);
    try {
      if (make) await mkdir(root, { recursive: true });
      const { root: realRoot, names } = await pathInside(root, below, path, deps.keptPaths);
      const realPath = [realRoot, ...names].join('/');
      if (operation === 'list')
        return await inFolder<JsonValue>({ root: realRoot, names }, { make }, (at) =>
          listFolder(at('.'), { path, realPath, root: realRoot, kept: deps.keptPaths ?? [] }),
        );
      const name = names.pop();
      if (name === undefined) return await ofFolder(operation, path);
      const place = { root: realRoot, names };
      return await inFolder<JsonValue>(place, { make }, (at) => {
        switch (operation) {
          case 'read':
            return readText(at(name), path);
          case 'write':
            return oneAtFile(realPath, () => writeText(at, name, path, content ?? ''));
          case 'append':
            return oneAtFile(realPath, () => appendText(at, { name, path }, content ?? '', idempotencyKey));
          case 'delete':
            return oneAtFile(realPath, () => remove(at, name, path));
          case 'keep':
            return oneAtFile(realPath, () => keepCopy(at, name, path, idempotencyKey));
          case 'restore':
            return oneAtFile(realPath, () => restoreCopy(at, name, idempotencyKey));
          case 'forget':
            return oneAtFile(realPath, () => forgetCopy(at, name, idempotencyKey));
          case 'exists':
            return isFile(at(name));
          case 'size':
            return sizeOf(at(name), path);
        }
      });
    } catch (error) {
      if (isMissing(error) && operation === 'exists') return false;
      // It is gone, whoever did it: a second attempt finds nothing either.
      if (isMissing(error) && operation === 'delete') return true;
      // Its folder is gone with it.
      if (isMissing(error) && putting.includes(operation)) return true;
      throw fileFault(error, path, folderName);
    }
  });
}

/** The folder of files itself is there, and is no file. */
async function ofFolder(operation: FileEffect['operation'], path: string): Promise<false> {
  if (operation === 'exists') return false;
  throw notRegular(path);
}

async function readText(place: string, path: string): Promise<string> {
  const text = decode(await readRegular(place, path, defaultLimits.payloadBytes), path);
  // Lines end in one way, wherever the file was written: procedures look for "\n".
  return assertResultFits(text.replace(/\r\n?/g, '\n'), `The text of ${path}`);
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TactusError('file_failed', `${path} is not UTF-8 text`, { path });
  }
}

async function writeText(at: At, name: string, path: string, content: string): Promise<true> {
  await assertNoDeadLink(at(name), path);
  await forgetAppends(at, name);
  await replaceFile(at, name, content);
  return true;
}

async function remove(at: At, name: string, path: string): Promise<true> {
  const stats = await lstat(at(name));
  if (!stats.isFile()) throw notRegular(path);
  await forgetAppends(at, name);
  await rm(at(name));
  return true;
}

async function isFile(place: string): Promise<boolean> {
  return (await lstat(place)).isFile();
}

async function sizeOf(place: string, path: string): Promise<number> {
  const stats = await lstat(place);
  if (!stats.isFile()) throw notRegular(path);
  return stats.size;
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * The names of what procedures may use in a folder, in the order of their characters; those of folders end with `/`. Links
 * are left out: what they lead to may be elsewhere.
 */
async function listFolder(
  place: string,
  { path, realPath, root, kept }: { path: string; realPath: string; root: string; kept: readonly string[] },
): Promise<string[]> {
  const entries = await readdir(place, { withFileTypes: true });
  const keptPaths = await KeptPaths.of(kept);
  const names: string[] = [];
  for (const entry of entries) {
    if (refusedName(entry.name) !== null) continue;
    if (kept.length > 0 && (await keptPaths.has(join(realPath, entry.name), root))) continue;
    if (entry.isDirectory()) names.push(`${entry.name}/`);
    else if (entry.isFile()) names.push(entry.name);
  }
  names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return assertResultFits(names, `The list of ${path}`);
}
