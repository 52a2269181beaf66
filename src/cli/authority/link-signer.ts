import { signatureOf, signatureProblem, type Verifiers } from '../../authority/signature.js';
import type { LinkSigner } from '../../authority/signed-links.js';
import type { LinkSettings, VerificationKeys } from '../../contract/authority/authority.js';
import { TactusError } from '../command.js';
import { readSigningKey } from '../../server/access/read-signing-key.js';
import { readSecret } from '../../activities/secrets/secrets.js';

/** What links are signed with, and looked at. */
export interface ConfiguredLinks extends LinkSigner, Verifiers {}

/**
 * The key of links that configuration names, of which both halves must be here: a link that its own server refuses helps nobody.
 * null: there are no links.
 * @throws TactusError missing_key, config_invalid
 */
export function linkSigner(settings: LinkSettings | null, keys: VerificationKeys): ConfiguredLinks | null {
  if (settings === null) return null;
  const place = { env: process.env, workingFolder: process.cwd() };
  const key = readSigningKey(settings, 'with which links are signed', place);
  const verifiers: Verifiers = { keys, secretOf: (name) => readSecret(process.env, name) };
  const payload = 'tactus-link-trial';
  const trial = { keyId: key.id, signature: signatureOf(key, payload), payload };
  const problem = signatureProblem(trial, verifiers, 'authority.keys');
  if (problem !== null)
    throw new TactusError(
      'config_invalid',
      `authority.links signs with another key than authority.keys has as ${key.id}: ${problem}`,
    );
  return { key, validMs: settings.validMs, ...verifiers };
}
