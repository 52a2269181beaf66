import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { signingKeyOfPem, signingKeyOfSecret, type SigningKey } from '../../authority/signature.js';
import type { Environment } from '../../contract/environment.js';
import { TactusError } from '../../contract/errors.js';
import { readSecret } from '../../activities/secrets/secrets.js';
import type { ServerSettings } from '../settings.schema.js';
import type { Access } from './authenticate.js';

/** Where a signing key is: in a file, in PEM, or in an environment variable. */
export interface KeyPlace {
  key: string;
  file?: string | undefined;
  secret?: string | undefined;
}

/**
 * A signing key from where configuration says; `use` is what it is for, in errors.
 * @throws TactusError missing_key where it isn't there; usage where it is none
 */
export function readSigningKey(
  { key: id, file, secret = '' }: KeyPlace,
  use: string,
  { env, workingFolder }: { env: Environment; workingFolder: string },
): SigningKey {
  if (file === undefined) {
    const text = readSecret(env, secret);
    if (text === null) throw new TactusError('missing_key', `${secret}, ${use}, isn't set`);
    return signingKeyOfSecret(id, text);
  }
  let pem: string;
  try {
    pem = readFileSync(resolve(workingFolder, file), 'utf8');
  } catch {
    throw new TactusError('missing_key', `${file}, ${use}, can't be read`);
  }
  return signingKeyOfPem(id, pem);
}

/**
 * The key with which the server vouches for those who are signed in; null where it has none.
 * @throws TactusError config_invalid; missing_key where it isn't there
 */
export function signingKeyOf(
  { signing }: ServerSettings,
  { anonymous }: Access,
  place: { env: Environment; workingFolder: string },
): SigningKey | null {
  if (signing === undefined) return null;
  if (anonymous !== null)
    throw new TactusError(
      'config_invalid',
      'server.signing needs server.tokens or server.jwt: the server signs only for people who have proved who they are',
    );
  return readSigningKey(signing, 'with which the server signs', place);
}
