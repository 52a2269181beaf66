import { digestOf } from './digest.js';
import { definitionOf, type Effect } from './effects.js';
import { identityOf } from './identity.js';
import { NewerVersionError } from './newer-version.js';
import { versionedDigest } from './versioned-digest.js';

/** In which version digests of a kind are made now. */
export function effectVersion({ kind }: Effect): number {
  return definitionOf(kind).identity.version;
}

/**
 * Identifies what an effect asks for, by what counted in a version.
 * @throws NewerVersionError
 */
export function effectDigest(effect: Effect, version: number): string {
  const { identity } = definitionOf(effect.kind);
  if (version > identity.version)
    throw new NewerVersionError(`The digest of a recorded ${effect.kind}`, version, identity.version);
  return versionedDigest(version, digestOf(identityOf(effect, identity, version)));
}
