import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { stubFolder } from './type-stub.js';

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

export interface Luarc {
  file: string;
  written: boolean;
  /** What the file that was there lacks; null where it can't be read as JSON. */
  missing: JsonObject | null;
}

/** Writes the settings into a project that has none; else says what is missing in those that are there. */
export async function settleLuarc(project: string): Promise<Luarc> {
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
