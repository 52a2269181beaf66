import { digestOf } from './digest.js';
import { definitionOf, type Effect } from './effects.js';
import type { Holds } from '../engine.js';
import { identityOf } from './identity.js';
import { NewerVersionError } from '../newer-version.js';
import { versionedDigest } from './versioned-digest.js';

/** In which version a run makes digests of a kind. */
export function effectVersion({ kind }: Effect, holds: Holds): number {
  return 1 + definitionOf(kind).identity.changedWith.filter(holds).length;
}

/**
 * Identifies what an effect asks for, by what counted in a version.
 * @throws NewerVersionError
 */
export function effectDigest(effect: Effect, version: number): string {
  const { identity } = definitionOf(effect.kind);
  const newest = 1 + identity.changedWith.length;
  if (version > newest)
    throw new NewerVersionError(`The digest of a recorded ${effect.kind}`, version, newest);
  return versionedDigest(version, digestOf(identityOf(effect, identity, version)));
}
