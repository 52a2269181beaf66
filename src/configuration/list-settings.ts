import { isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import type { Environment } from '../contract/environment.js';
import type { ConfigFile } from './config-files.js';

/** A setting that counts, and where it comes from. */
export interface ListedSetting {
  /** With dots for tables, or the name of a variable. */
  name: string;
  /** What may be a secret is `***`. */
  value: JsonValue;
  /** `.tactus/config.yml:3`, `the environment`, `usual` where nobody said anything. */
  origin: string;
}

const shut = '***';
const ofSecrets = /key$|token|hash|password|passwd|headers|authorization|^env$|credential/i;
/** Settings of that kind hold the name of a variable, and no secret. */
const ofNames = ['secret', 'hmac', 'url', 'password'];
const variableName = /^[A-Z_][A-Z0-9_]*$/;

/** What the files say, of each setting the strongest; lists are as each file has them. */
export function listSettings(files: readonly ConfigFile[]): ListedSetting[] {
  const found = new Map<string, ListedSetting>();
  for (const { file, config, lineOf } of files)
    for (const { path, value } of leaves(config)) {
      const line = lineOf(path);
      const name = path.join('.');
      const origin = line === null ? file : `${file}:${line}`;
      const before = found.get(name);
      // Lists of several files count together.
      const joined = before !== undefined && Array.isArray(before.value) && Array.isArray(value);
      found.set(name, {
        name,
        value: joined ? [...(before.value as JsonValue[]), ...value] : value,
        origin: joined ? `${before.origin}, ${origin}` : origin,
      });
    }
  return [...found.values()];
}

/** Variables that say something to workers and servers. */
export function listVariables(env: Environment, names: readonly string[]): ListedSetting[] {
  return Object.entries(env)
    .filter(
      ([name, value = '']) =>
        // Others that begin as ours may hold a key, under whatever name somebody gave it.
        value !== '' &&
        (names.includes(name) || /^TEMPORAL_|^TACTUS_DEFAULT_PROVIDER$|_API_KEY(_FILE)?$/.test(name)),
    )
    .map(([name, value = '']) => ({ name, value: shownVariable(name, value), origin: 'the environment' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function shownVariable(name: string, value: string): string {
  if (name.endsWith('_FILE')) return value;
  return /KEY|TOKEN|SECRET|PASSWORD|AUTH|HEADERS|META|CERT/.test(name) ? shut : withoutPassword(value);
}

function leaves(
  config: JsonObject,
  before: readonly string[] = [],
  isShut = false,
): { path: string[]; value: JsonValue }[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const path = [...before, name];
    if (isObject(value) && Object.keys(value).length > 0)
      return leaves(value, path, isShut || /headers|^env$/i.test(name));
    return [{ path, value: shown(name, value, isShut) }];
  });
}

function shown(name: string, value: JsonValue, isShut: boolean): JsonValue {
  if (Array.isArray(value))
    return value.map((each) => (isObject(each) ? shownTable(each) : shown(name, each, isShut)));
  if (typeof value !== 'string') return value;
  if (ofNames.includes(name) && variableName.test(value)) return value;
  return isShut || ofSecrets.test(name) || name === 'secret' || name === 'hmac'
    ? shut
    : withoutPassword(value);
}

function shownTable(table: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(table).map(([name, value]) => [
      name,
      isObject(value) ? shownTable(value) : shown(name, value, false),
    ]),
  );
}

/** An address, without the password that stands in it. */
function withoutPassword(text: string): string {
  return text.replace(/(\w+:\/\/[^\s:/@]*):[^\s@]*@/g, `$1:${shut}@`);
}
