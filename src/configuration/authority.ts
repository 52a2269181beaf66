import { keyIdPattern, type LinkSettings, type VerificationKey } from '../contract/authority/authority.js';
import { readDuration } from '../contract/time/duration.js';
import { TactusError } from '../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { isGroups } from '../contract/people/human-request.js';
import { configInvalid } from './setting-values.js';

/** The setting, which counts in files that hold for all procedures alone: whoever writes one can't bring keys. */
export const authoritySetting = 'authority';

/**
 * Keys of those who sign decisions, of several files by their ids; what comes later wins.
 * @throws TactusError config_invalid
 */
export function authorityKeysOf(
  configs: readonly { file: string; config: JsonObject }[],
): Record<string, VerificationKey> {
  const keys: Record<string, VerificationKey> = {};
  for (const { file, config } of configs) {
    const where = `${file}: ${authoritySetting}`;
    const authority = authorityOf(config, where);
    const given = getOwn(authority, 'keys') ?? {};
    if (!isObject(given)) throw configInvalid(`${where}.keys must be a table of keys by their ids`);
    for (const [id, key] of Object.entries(given)) {
      if (!keyIdPattern.test(id))
        throw configInvalid(`${where}.keys: ${id} is no id of a key; letters, digits, _ and - are`);
      setOwn(keys, id, { ...readKey(key, `${where}.keys.${id}`) });
    }
  }
  return keys;
}

/** Links that answer hold so long where nothing else is said. */
const usualLinkDays = 7;

/**
 * How links that answer a request are signed, of several files; what comes later wins. null: there are none.
 * @throws TactusError config_invalid
 */
export function authorityLinksOf(
  configs: readonly { file: string; config: JsonObject }[],
  keys: Readonly<Record<string, VerificationKey>>,
): LinkSettings | null {
  let links: LinkSettings | null = null;
  for (const { file, config } of configs) {
    const where = `${file}: ${authoritySetting}`;
    const given = getOwn(authorityOf(config, where), 'links') ?? null;
    if (given !== null) links = readLinks(given, `${where}.links`);
  }
  if (links !== null && getOwn(keys, links.key) === undefined)
    throw configInvalid(
      `${authoritySetting}.links.key is ${links.key}, and ${authoritySetting}.keys has none of that id`,
    );
  return links;
}

function readLinks(given: JsonValue, where: string): LinkSettings {
  if (!isObject(given)) throw configInvalid(`${where} must be a table with key, and file or secret`);
  const odd = Object.keys(given).find((name) => !['key', 'file', 'secret', 'valid'].includes(name));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are key, file, secret, valid`);
  const { key = null, file, secret, valid = `${usualLinkDays}d` } = given;
  if (typeof key !== 'string' || !keyIdPattern.test(key))
    throw configInvalid(`${where}.key must be the id of a key`);
  const validMs = readDuration(valid, `${where}.valid`, 'config_invalid');
  if (validMs < 60_000) throw configInvalid(`${where}.valid must be a minute or more`);
  if ((file === undefined) === (secret === undefined))
    throw configInvalid(`${where} needs either file or secret`);
  if (file !== undefined) {
    if (typeof file !== 'string' || file === '')
      throw configInvalid(`${where}.file must be the path of a file`);
    return { key, file, validMs };
  }
  if (typeof secret !== 'string' || !/^[A-Za-z_]\w*$/.test(secret))
    throw configInvalid(`${where}.secret must be the name of an environment variable`);
  return { key, secret, validMs };
}

function authorityOf(config: JsonObject, where: string): JsonObject {
  const authority = getOwn(config, authoritySetting) ?? {};
  if (!isObject(authority)) throw configInvalid(`${where} must be a table with keys`);
  const odd = Object.keys(authority).find((name) => name !== 'keys' && name !== 'links');
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are keys and links`);
  return authority;
}

function readKey(given: JsonValue, where: string): VerificationKey {
  const wrong = `${where} must be {ed25519: a public key} or {hmac: the name of a secret}`;
  if (!isObject(given) || Object.keys(given).length !== 1) throw configInvalid(wrong);
  const { ed25519, hmac } = given;
  if (typeof ed25519 === 'string') {
    if (!/^[\w-]{43}$/.test(ed25519)) throw configInvalid(`${where}.ed25519 must be 32 bytes in base64url`);
    return { ed25519 };
  }
  if (typeof hmac !== 'string') throw configInvalid(wrong);
  // A secret that stands here by mistake isn't told.
  if (!/^[A-Za-z_]\w*$/.test(hmac))
    throw configInvalid(`${where}.hmac must be the name of an environment variable`);
  return { hmac };
}

/** The setting, which counts in files that hold for all procedures alone: who writes one doesn't say who is in which group. */
export const groupsSetting = 'groups';

/**
 * What several files say of who is in which group; what comes later wins.
 * @throws TactusError config_invalid
 */
export function groupsOf(configs: readonly { file: string; config: JsonObject }[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const { file, config } of configs) {
    const given = getOwn(config, groupsSetting) ?? {};
    if (!isGroups(given))
      throw new TactusError('config_invalid', `${file}: ${groupsSetting} must be a table of lists of names`);
    for (const [group, names] of Object.entries(given as Record<string, string[]>))
      setOwn(groups, group, names);
  }
  return groups;
}

/** The setting, which counts in files that hold for all procedures alone: who writes one doesn't say who may decide. */
export const serverSetting = 'server';

/** The setting, which counts in files that hold for all procedures alone: who writes one doesn't say how workers run. */
export const workerSetting = 'worker';

/** What a file says of `serve` or of workers, unchecked. @throws TactusError config_invalid where it is no table */
export function serviceOf(
  { file, config }: { file: string; config: JsonObject },
  setting: typeof serverSetting | typeof workerSetting,
): JsonObject {
  const given = getOwn(config, setting) ?? {};
  if (isObject(given)) return given;
  throw new TactusError('config_invalid', `${file}: ${setting} must be a table`, { file });
}
