import { keyIdPattern, type VerificationKey } from '../contract/authority/verification-key.js';
import { TactusError } from '../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json.js';

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
    const authority = getOwn(config, authoritySetting) ?? {};
    const where = `${file}: ${authoritySetting}`;
    if (!isObject(authority)) throw invalid(`${where} must be a table with keys`);
    const odd = Object.keys(authority).find((name) => name !== 'keys');
    if (odd !== undefined) throw invalid(`${where} has the unknown field ${odd}; there is keys`);
    const given = getOwn(authority, 'keys') ?? {};
    if (!isObject(given)) throw invalid(`${where}.keys must be a table of keys by their ids`);
    for (const [id, key] of Object.entries(given)) {
      if (!keyIdPattern.test(id))
        throw invalid(`${where}.keys: ${id} is no id of a key; letters, digits, _ and - are`);
      setOwn(keys, id, { ...readKey(key, `${where}.keys.${id}`) });
    }
  }
  return keys;
}

function readKey(given: JsonValue, where: string): VerificationKey {
  const wrong = `${where} must be {ed25519: a public key} or {hmac: the name of a secret}`;
  if (!isObject(given) || Object.keys(given).length !== 1) throw invalid(wrong);
  const { ed25519, hmac } = given;
  if (typeof ed25519 === 'string') {
    if (!/^[\w-]{43}$/.test(ed25519)) throw invalid(`${where}.ed25519 must be 32 bytes in base64url`);
    return { ed25519 };
  }
  if (typeof hmac !== 'string') throw invalid(wrong);
  // A secret that stands here by mistake isn't told.
  if (!/^[A-Za-z_]\w*$/.test(hmac))
    throw invalid(`${where}.hmac must be the name of an environment variable`);
  return { hmac };
}

function invalid(problem: string): TactusError {
  return new TactusError('config_invalid', problem);
}
