import { readSecret } from '../../../../activities/secrets/secrets.js';
import type { Environment } from '../../../../contract/environment.js';
import { TactusError } from '../../../../contract/errors.js';
import type { EncryptionSettings } from '../../../../contract/payloads/codec-settings.js';
import { keyBytes } from './sealed-bytes.js';

/** The keys of the configuration, by their ids. */
export type MasterKeys = ReadonlyMap<string, Buffer>;

/**
 * All keys that the settings name: one that is missing would be missed when a run needs it.
 * @throws TactusError missing_key where a variable isn't set; config_invalid where its value is no key, which isn't told
 */
export function masterKeysOf({ keys }: Pick<EncryptionSettings, 'keys'>, env: Environment): MasterKeys {
  return new Map(Object.entries(keys).map(([id, variable]) => [id, keyOf(id, variable, env)]));
}

function keyOf(id: string, variable: string, env: Environment): Buffer {
  const text = readSecret(env, variable);
  if (text === null)
    throw new TactusError(
      'missing_key',
      `codec.encryption.keys.${id} needs a key: set ${variable} (or ${variable}_FILE). If no payload needs it any more, remove its line`,
      { variable },
    );
  const key = readKey(text);
  if (key === null)
    throw new TactusError(
      'config_invalid',
      `codec.encryption.keys.${id}: ${variable} must hold ${keyBytes} bytes, as base64 or as ${2 * keyBytes} hexadecimal digits. tactus-temporal codec key ID makes a key`,
    );
  return key;
}

/** Node reads what is no base64, too, and leaves out what it can't read. */
function readKey(text: string): Buffer | null {
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[\w+/-]{43}=?$/.test(text)) return null;
  const key = Buffer.from(text, 'base64');
  return key.length === keyBytes ? key : null;
}
