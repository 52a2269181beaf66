import { Command } from 'commander';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { TactusError, act, exitCodes } from '../command.js';

/** Where the stub lies in a project, below its folder. Not in `.tactus-temporal/`: whoever clones the project wants it too. */
const stubFolder = 'tactus-types';

const ownFolder = fileURLToPath(new URL('../../../types', import.meta.url));

/** How every file of the stub begins, in any version of it. */
const firstWord = '---@meta';

interface CopiedStub {
  /** Names of the files, below `stubFolder`. */
  files: string[];
  /** Those of an older version that aren't in this one. */
  removed: string[];
}

/**
 * Puts the files that describe the language to an editor into a project, in place of those of another version.
 * @throws TactusError usage where the project is no folder
 */
async function copyStub(project: string): Promise<CopiedStub> {
  const isFolder = await stat(project).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new TactusError('usage', `There is no folder ${project}`);
  const files = await luaFilesIn(ownFolder);
  const target = join(project, stubFolder);
  const removed = await removeOthers(target, files);
  for (const file of files) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await writeFile(join(target, file), await readFile(join(ownFolder, file)));
  }
  return { files, removed };
}

async function removeOthers(target: string, files: readonly string[]): Promise<string[]> {
  const removed: string[] = [];
  for (const file of await luaFilesIn(target).catch(() => [])) {
    if (files.includes(file)) continue;
    // What somebody else has put there stays.
    if (!(await readFile(join(target, file), 'utf8')).startsWith(firstWord)) continue;
    await rm(join(target, file));
    removed.push(file);
  }
  return removed;
}

/** In the order of their names, with `/` between folders. */
async function luaFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.lua'))
    .sort();
}

/** Libraries of Lua that the stub describes: the language server must not add its own. */
const disabled = [
  ...['basic', 'coroutine', 'debug', 'io', 'math', 'os', 'package', 'string', 'table', 'utf8'],
];

/** What the Lua language server must know of a project: the contents of its `.luarc.json`. */
export const luarcSettings: Readonly<Record<string, JsonValue>> = {
  'runtime.version': 'Lua 5.4',
  'runtime.path': ['?.tac', '?/init.tac', '?.lua'],
  'runtime.builtin': Object.fromEntries(disabled.map((name) => [name, 'disable'])),
  'files.associations': { '*.tac': 'lua' },
  'workspace.library': [stubFolder],
  'workspace.checkThirdParty': false,
  // Agents and tools are globals, and mostly in lower case.
  'diagnostics.disable': ['lowercase-global'],
};

interface Luarc {
  file: string;
  written: boolean;
  /** What the file that was there lacks; null where it can't be read as JSON. */
  missing: JsonObject | null;
}

/** Writes the settings into a project that has none; else says what is missing in those that are there. */
async function settleLuarc(project: string): Promise<Luarc> {
  const file = join(project, '.luarc.json');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    await writeFile(file, `${JSON.stringify(luarcSettings, null, 2)}\n`);
    return { file, written: true, missing: {} };
  }
  try {
    const found = JSON.parse(text) as JsonValue;
    return { file, written: false, missing: missingIn(isObject(found) ? found : {}) };
  } catch {
    return { file, written: false, missing: null };
  }
}

function missingIn(found: JsonObject): JsonObject {
  const missing: JsonObject = {};
  for (const [name, wanted] of Object.entries(luarcSettings)) {
    const lacking = lackingOf(wanted, settingOf(found, name));
    if (lacking !== undefined) missing[name] = lacking;
  }
  return missing;
}

/** `runtime.version`, `Lua.runtime.version`, or `version` in the table `runtime`. */
function settingOf(found: JsonObject, name: string): JsonValue | undefined {
  const [group = '', key = ''] = name.split('.');
  const nested = getOwn(found, group);
  return (
    getOwn(found, name) ??
    getOwn(found, `Lua.${name}`) ??
    (isObject(nested ?? null) ? getOwn(nested as JsonObject, key) : undefined)
  );
}

/** The part of a setting that isn't there; undefined where it is all there. */
function lackingOf(wanted: JsonValue, given: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(wanted)) {
    const items = wanted.filter((item) => !Array.isArray(given) || !given.includes(item));
    return items.length === 0 ? undefined : items;
  }
  if (isObject(wanted)) {
    const has = isObject(given ?? null) ? (given as JsonObject) : {};
    const entries = Object.entries(wanted).filter(([key, value]) => getOwn(has, key) !== value);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return given === wanted ? undefined : wanted;
}

/** `types [DIR]`: what an editor needs to know of the language. */
export function typesCommand(): Command {
  return new Command('types')
    .description(
      `tell editors of the language: puts ${stubFolder}/ and a .luarc.json for the Lua language server into a project`,
    )
    .argument('[dir]', 'the folder of the project', '.')
    .action(
      act(async ({ screen }, _flags: object, project: string) => {
        const { files, removed } = await copyStub(project);
        const luarc = await settleLuarc(project);
        screen.answer({ folder: stubFolder, files, removed, luarc: { ...luarc } }, () =>
          [`${stubFolder}/ has ${files.length} files`, luarcText(luarc)].join('\n'),
        );
        return exitCodes.done;
      }),
    );
}

function luarcText({ file, written, missing }: Luarc): string {
  if (written) return `${file} written`;
  if (missing === null)
    return `${file} is no plain JSON and was left alone; it should say:\n${JSON.stringify(luarcSettings, null, 2)}`;
  if (Object.keys(missing).length === 0) return `${file} says all that is needed`;
  return `${file} was left alone; add to it:\n${JSON.stringify(missing, null, 2)}`;
}
