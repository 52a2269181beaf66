import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import { filesFolderVariable, usualFilesFolder } from '../../contract/files/files-folder.js';
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
