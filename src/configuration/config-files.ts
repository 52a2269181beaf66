import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { Environment } from '../contract/environment.js';
import { TactusError } from '../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';

const name = join('.tactus', 'config.yml');

export interface Surroundings {
  workingFolder: string;
  env: Environment;
}

interface ConfigFiles {
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
    folders: found.map((file) => shortPath(file, workingFolder)),
    beside: beside && shortPath(beside, workingFolder),
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
function shortPath(file: string, workingFolder: string): string {
  const path = relative(workingFolder, file);
  return path.startsWith('..') ? file : path;
}

/** A file of the cascade. */
export interface ConfigFile {
  file: string;
  config: JsonObject;
  /** The line of a setting, such as `['server', 'port']`, or of what is nearest above it; null where there is none. */
  lineOf: (path: readonly string[]) => number | null;
}

/**
 * One file of the cascade, by its path from the working folder.
 * @throws TactusError config_invalid with the line, where it is no YAML, or no table of settings
 */
export async function readConfig(file: string, workingFolder: string): Promise<ConfigFile> {
  // Most procedures have no configuration: it is loaded where there is some.
  // The reference's YAML is that of 1.1, where `yes` is true.
  const { LineCounter, parseDocument, isMap, isScalar, isSeq } = await import('yaml');
  const lineCounter = new LineCounter();
  const text = await readFile(resolve(workingFolder, file), 'utf8').catch((error: Error) => {
    throw new TactusError('config_invalid', `${file} can't be read: ${error.message}`, { file });
  });
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.1' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    throw new TactusError('config_invalid', `${file}:${line}: ${error.message}`, { file, line });
  }
  const lineOf = (path: readonly string[]): number | null => {
    let node: unknown = document.contents;
    let offset: number | null = null;
    for (const name of path) {
      if (isSeq(node)) node = node.items[Number(name)];
      else if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
        if (pair === undefined) break;
        if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
        node = pair.value;
      } else break;
    }
    return offset === null ? null : lineCounter.linePos(offset).line;
  };
  const config = document.toJS() as JsonValue | undefined;
  if (config === null || config === undefined) return { file, config: {}, lineOf };
  if (isObject(config)) return { file, config, lineOf };
  // `x.yml` beside `x.tac` may be something else altogether.
  if (!/(\.tac|config|tactus)\.yml$/.test(file)) return { file, config: {}, lineOf };
  throw new TactusError(
    'config_invalid',
    `${file} must be a table of settings, such as default_model: gpt-5-mini`,
    { file },
  );
}
