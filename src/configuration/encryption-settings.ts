import { isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { keyIdPattern, type EncryptionSettings } from '../contract/payloads/codec-settings.js';
import { configInvalid, readTable, readText } from './setting-values.js';

const fields = ['key', 'keys', 'require', 'compress', 'subjects'];

/**
 * The setting `codec.encryption`. What somebody has written in place of a variable's name isn't told: it may be a key.
 * @throws TactusError config_invalid
 */
export function readEncryption(given: JsonValue, where: string): EncryptionSettings {
  if (!isObject(given)) throw configInvalid(`${where} must be a table with key and keys`);
  const odd = Object.keys(given).find((field) => !fields.includes(field));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${fields.join(', ')}`);
  const keys = readKeys(given['keys'] ?? null, `${where}.keys`);
  const key = readText(given['key'] ?? null, `${where}.key`);
  if (!Object.hasOwn(keys, key))
    throw configInvalid(
      `${where}.key is ${key}, which ${where}.keys doesn't have: there ${Object.keys(keys).length === 1 ? 'is' : 'are'} ${Object.keys(keys).join(', ')}`,
    );
  return {
    key,
    keys,
    requires: readSwitch(given, 'require', false, where),
    compresses: readSwitch(given, 'compress', true, where),
    subjects: readSubjects(given['subjects'] ?? null, `${where}.subjects`),
  };
}

function readKeys(given: JsonValue, where: string): Record<string, string> {
  const keys = readTable(given, where);
  if (Object.keys(keys).length === 0) throw configInvalid(`${where} must name a variable for each key`);
  for (const [id, variable] of Object.entries(keys)) {
    if (!keyIdPattern.test(id))
      throw configInvalid(
        `${where} has an id that is none: it has letters, digits, dots, hyphens and underscores, 64 at most`,
      );
    // A key in hexadecimal digits would be the name of a variable, too.
    if (!/^[A-Za-z_]\w*$/.test(variable) || /^[\da-f]{64}$/i.test(variable))
      throw configInvalid(
        `${where}.${id} must be the name of an environment variable that holds the key, not the key`,
      );
  }
  return keys;
}

function readSubjects(given: JsonValue, where: string): EncryptionSettings['subjects'] {
  if (given === null) return null;
  if (!isObject(given)) throw configInvalid(`${where} must be a table with folder and id`);
  const odd = Object.keys(given).find((field) => field !== 'folder' && field !== 'id');
  if (odd !== undefined) throw configInvalid(`${where} has the unknown field ${odd}; there are folder, id`);
  const folder = readText(given['folder'] ?? null, `${where}.folder`);
  const id = readText(given['id'] ?? null, `${where}.id`);
  if (id.includes('/'))
    throw configInvalid(
      `${where}.id is compared with what stands before the first / of the id of a run: it has none, as in customer-*`,
    );
  return { folder, id };
}

function readSwitch(given: JsonObject, name: string, usual: boolean, where: string): boolean {
  const value = given[name] ?? usual;
  if (typeof value !== 'boolean') throw configInvalid(`${where}.${name} must be true or false`);
  return value;
}
