import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { indexVariable, storageVariable } from '../../contract/environment.js';
import { TactusError } from '../../contract/errors.js';
import { filesFolderVariable, usualFilesFolder } from '../../contract/files/data-file.js';
import type { CommonOptions } from '../context.js';

/** The folder that `File.*` of procedures works in and can't leave. */
export interface FilesFolder {
  path: string;
  /** It was asked for; else it is `files` in the working folder. */
  isNamed: boolean;
}

/**
 * What `--files` says, else TACTUS_TEMPORAL_FILES or the setting `files_folder`, else `files` in the working folder: beside procedures, configuration and keys,
 * and not among them. It needn't be there: the first write makes it.
 * Every command that brings a worker has to be told, since any of them may do what a run does next.
 * @throws TactusError usage where it is no folder
 */
export function filesFolder({ files }: CommonOptions): FilesFolder {
  const named = files ?? process.env[filesFolderVariable] ?? '';
  const path = resolve(named === '' ? usualFilesFolder : named);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new TactusError('usage', `--files: ${named === '' ? usualFilesFolder : named} is no folder`);
  return { path, isNamed: named !== '' };
}

/**
 * Where lists of runs are kept: as configuration says, else beside the embedded server; null elsewhere, and where a Node before
 * 22.13 has no SQLite: the runs are asked then.
 */
export function indexPlace(isEmbedded: boolean): string | null {
  const named = process.env[indexVariable] ?? '';
  if (named !== '') return named;
  return isEmbedded && isBuiltin('node:sqlite')
    ? join(process.cwd(), '.tactus-temporal', 'index.sqlite')
    : null;
}

/** Where runs are mirrored for the Tactus API: as configuration says, else in files beside the embedded server; null elsewhere. */
export function storagePlace(isEmbedded: boolean): string | null {
  const named = process.env[storageVariable] ?? '';
  if (named !== '') return named;
  return isEmbedded ? `file:${join(process.cwd(), '.tactus-temporal', 'mirror')}` : null;
}

/** Where a command writes what it makes: `out`, or in it where it is a folder; left out: in the working folder. */
export async function writtenTo(out: string | undefined, name: string): Promise<string> {
  if (out === undefined) return resolve(name);
  const isFolder = await stat(out).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(resolve(out), name) : resolve(out);
}
