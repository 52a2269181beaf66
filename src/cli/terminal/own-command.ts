import { readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, sep } from 'node:path';
import { shellWord } from '../../contract/text/shell-word.js';

/** Set by the launcher, which runs this with another Node: how it was started itself. */
const startedAs = 'TACTUS_TEMPORAL_STARTED_AS';
const name = 'tactus-temporal';

let flags = '';

/** Flags that say where a command leads to. */
interface KeptFlags {
  address?: string;
  namespace?: string;
  taskQueue?: string;
  files?: string;
}

/** Commands that are printed lead to the same server and files as this one: its flags are theirs. */
export function keepFlags({ address, namespace, taskQueue, files }: KeptFlags): void {
  flags = flagsText({
    '--address': address,
    '--namespace': namespace,
    '--task-queue': taskQueue,
    '--files': files,
  });
}

/** Flags with their values, each behind a space; those without a value are left out. */
export function flagsText(named: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(named)
    .map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${shellWord(value)}`))
    .join('');
}

/** What somebody types in this folder to run this command line again: `npx tactus-temporal`. */
export function programHere(): string {
  return programName(process.env[startedAs] ?? process.argv[1] ?? '', process.env);
}

/** Such a command, to the server and the files of this one. Nothing is a flag behind `--`. */
export function ownCommand(words: string): string {
  return words.includes(' -- ') ? `${programHere()}${flags} ${words}` : `${programHere()} ${words}${flags}`;
}

/** A text of ours, such as an error's, whose commands work as they are printed. Those that are of this command line already stay. */
export function withOwnCommand(text: string): string {
  return text.replace(/(?<![\w./-]|npx )tactus-temporal (?=[a-z]+\b)(?!wrote\b)/g, (_, at: number) => {
    const [line = ''] = text.slice(at).split('\n');
    // A command that names its server needs no other flags; what stands behind it may be words.
    return `${programHere()}${line.includes('--address') ? '' : flags} `;
  });
}

/** @param script how Node was told what to run */
export function programName(script: string, env: NodeJS.ProcessEnv, cwd = process.cwd()): string {
  const file = basename(script);
  if (file !== name && file !== `${name}.mjs`) return name;
  if (env['npm_command'] === 'exec') return `npx ${name}`;
  const isLink = file === name;
  if (isLink && basename(dirname(script)) !== '.bin')
    return isOnPath(script, env) ? name : shellWord(pathFrom(cwd, script));
  const project = projectOf(script);
  // npm finds it from anywhere within the project.
  if (project !== null)
    return isWithin(cwd, project) ? `npx ${name}` : `node ${shellWord(pathFrom(cwd, script))}`;
  return `node ${shellWord(pathFrom(cwd, script))}`;
}

/** The folder whose `node_modules` it lies in, or the clone that it is of; null where there is none. */
function projectOf(script: string): string | null {
  const [before, ...others] = script.split(`${sep}node_modules${sep}`);
  if (others.length > 0) return before ?? null;
  return basename(dirname(script)) === 'bin' ? dirname(dirname(script)) : null;
}

function isWithin(folder: string, project: string): boolean {
  const way = relative(project, folder);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

function isOnPath(script: string, env: NodeJS.ProcessEnv): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      return realpathSync(join(folder, name)) === realpathSync(script);
    } catch {
      return false;
    }
  });
}

/** The shorter of both ways. */
function pathFrom(cwd: string, script: string): string {
  const way = relative(cwd, script);
  return way.length < script.length ? (way.includes(sep) ? way : `.${sep}${way}`) : script;
}

/** The version of this package. */
export function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
