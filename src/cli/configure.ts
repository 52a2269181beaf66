import type { Command } from 'commander';
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import {
  loadConfiguration,
  withModelCalls,
  type Configuration,
} from '../configuration/load-configuration.js';
import { indexVariable, storageVariable } from '../contract/environment.js';
import { filesFolderVariable, usualFilesFolder } from '../contract/files/data-file.js';
import { TactusError, type CommonOptions, type Screen } from './command.js';

/** Flags that stand above all configuration. */
export interface SettingFlags {
  strictDeterminism?: boolean;
}

/** Adds the flags that stand above configuration. */
export function withSettingOptions(command: Command): Command {
  return command
    .option('--strict, --strict-determinism', 'time and chance outside of a checkpoint are an error')
    .option('--no-strict-determinism', 'they are warnings, whatever the configuration and the file say');
}

/**
 * Reads the configuration that holds for a procedure (null: for all). Keys of model providers become environment
 * variables of this process, whose worker looks for them there; the settings go with the runs that it starts.
 * @throws TactusError config_invalid
 */
export async function configure(
  procedure: string | null,
  { strictDeterminism }: SettingFlags,
  screen: Screen,
): Promise<
  Pick<
    Configuration,
    | 'settings'
    | 'files'
    | 'tools'
    | 'callQueues'
    | 'tenantBudgets'
    | 'server'
    | 'worker'
    | 'authorityKeys'
    | 'links'
    | 'reach'
    | 'fixtures'
    | 'codec'
  >
> {
  const surroundings = { workingFolder: process.cwd(), env: process.env };
  const { settings, variables, notes, ...others } = await loadConfiguration(procedure, surroundings);
  Object.assign(process.env, variables);
  for (const note of notes) screen.noteOnce(note);
  return {
    ...others,
    settings: withModelCalls(strictDeterminism === undefined ? settings : { ...settings, strictDeterminism }),
  };
}

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
