import type { PayloadCodec } from '@temporalio/common';
import { resolve } from 'node:path';
import type { Environment } from '../../../../contract/environment.js';
import { TactusError } from '../../../../contract/errors.js';
import { EncryptionCodec } from './encryption-codec.js';
import { masterKeysOf } from './master-keys.js';
import { SubjectKeys } from './subject-keys.js';

/** The same as the setting `codec.encryption`. */
export interface PayloadEncryption {
  /** Id of the key that encrypts. */
  key: string;
  /** Names of environment variables that hold the keys that decrypt, by the id of the key. */
  keys: Readonly<Record<string, string>>;
  /** Whether a payload that isn't encrypted is refused. Left out: it passes. */
  require?: boolean;
  /** Whether payloads are compressed before they are encrypted, where that makes them smaller. Left out: they are. */
  compress?: boolean;
  /** Gives each subject a key of its own, which is kept in the folder; `id` has `*` for anything. Left out: there are none. */
  subjects?: { folder: string; id: string };
}

/**
 * Makes the codec that `codec.encryption` gives to all commands, for the data converter of an application's clients and workers.
 * @param env where the keys are; left out: the environment of the process
 * @throws TactusError missing_key, config_invalid
 */
export function payloadEncryption(settings: PayloadEncryption, env: Environment = process.env): PayloadCodec {
  const { key, keys, require = false, compress = true } = settings;
  if (!Object.hasOwn(keys, key))
    throw new TactusError('config_invalid', `There is no variable for the key ${key} that is to encrypt`);
  const { subjects } = settings;
  return new EncryptionCodec({
    ...{ key, keys: masterKeysOf({ keys }, env), requires: require, compresses: compress },
    subjects:
      subjects === undefined
        ? null
        : { keys: subjectKeysOf({ key, keys, subjects }, env), pattern: subjects.id },
  });
}

/** @throws TactusError missing_key, config_invalid */
export function subjectKeysOf(
  { key, keys, subjects }: Pick<PayloadEncryption, 'key' | 'keys'> & { subjects: { folder: string } },
  env: Environment,
): SubjectKeys {
  return new SubjectKeys(resolve(subjects.folder), masterKeysOf({ keys }, env), key);
}
