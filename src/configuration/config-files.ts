import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { Environment } from '../contract/environment.js';

const name = join('.tactus', 'config.yml');

export interface Surroundings {
  workingFolder: string;
  env: Environment;
}

export interface ConfigFiles {
  /** The weakest first: the machine's, the person's, the working folder's, those of the folders down to the procedure. */
  folders: string[];
  /** `x.tac.yml`, else `x.yml`, beside the procedure `x.tac`: stronger than environment variables. */
  beside: string | null;
}

/** The files of the configuration cascade that are there; without a procedure, those that hold for all. */
export function configFiles(procedure: string | null, { workingFolder, env }: Surroundings): ConfigFiles {
  const files = [
    ...systemFolders(env).map((folder) => join(folder, 'config.yml')),
    join(env['XDG_CONFIG_HOME'] ?? join(home(env), '.config'), 'tactus', 'config.yml'),
    join(home(env), name),
    join(workingFolder, 'tactus.yml'),
    join(workingFolder, name),
    ...(procedure === null
      ? []
      : foldersDownTo(procedure, workingFolder).map((folder) => join(folder, name))),
  ];
  const path = procedure === null ? null : resolve(workingFolder, procedure);
  const besides = path === null ? [] : [`${path}.yml`, path.replace(/\.tac$/, '.yml')];
  const beside = besides.find((file) => file !== path && existsSync(file)) ?? null;
  const found = [...new Set(files.map((file) => resolve(file)))].filter((file) => existsSync(file));
  return {
    folders: found.map((file) => shown(file, workingFolder)),
    beside: beside && shown(beside, workingFolder),
  };
}

function systemFolders(env: Environment): string[] {
  if (process.platform === 'win32') return [join(env['PROGRAMDATA'] ?? 'C:\\ProgramData', 'tactus')];
  return ['/etc/tactus', '/usr/local/etc/tactus'];
}

function home(env: Environment): string {
  return env['HOME'] ?? homedir();
}

/** The folders above a procedure, the outermost first, up to the working folder where that is one of them. */
function foldersDownTo(procedure: string, workingFolder: string): string[] {
  const folders: string[] = [];
  let folder = dirname(resolve(workingFolder, procedure));
  while (folder !== resolve(workingFolder) && dirname(folder) !== folder) {
    folders.unshift(folder);
    folder = dirname(folder);
  }
  return folders;
}

/** Files below the working folder are told as people name them. */
function shown(file: string, workingFolder: string): string {
  const path = relative(workingFolder, file);
  return path.startsWith('..') ? file : path;
}
