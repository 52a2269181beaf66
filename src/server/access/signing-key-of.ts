import type { SigningKey } from '../../authority/signing-key.js';
import type { Environment } from '../../contract/environment.js';
import { TactusError } from '../../contract/errors.js';
import type { ServerSettings } from '../settings.schema.js';
import type { Access } from './authenticate.js';
import { readSigningKey } from './read-signing-key.js';

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
      'server.signing needs server.tokens or server.jwt: the server signs for nobody who has not proved a name',
    );
  return readSigningKey(signing, 'with which the server signs', place);
}
