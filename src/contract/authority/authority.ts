import type { RunSettings } from '../runs/run-settings.js';

/**
 * What `by` of a run's decisions is worth.
 *  - `trusted-namespace`: a claim. Whoever may write to the namespace may say any name.
 *  - `signed`: an identity. Each decision brings a token that a key of the worker's has been found to fit.
 */
export type AuthorityMode = 'trusted-namespace' | 'signed';

export function authorityOf(settings: RunSettings | undefined): AuthorityMode {
  return settings?.signedDecisions === true ? 'signed' : 'trusted-namespace';
}

/**
 * What tells whether a token is real: an Ed25519 public key (its 32 bytes in base64url, the `x` of a JWK), or the name of
 * an environment variable that holds a secret for HMAC-SHA256.
 */
export type VerificationKey = { ed25519: string } | { hmac: string };

/** Keys by the ids that tokens name: letters, digits, `_` and `-`. */
export type VerificationKeys = Readonly<Record<string, VerificationKey>>;

/** Ids of keys stand at the beginning of a token: no dot can be in them. */
export const keyIdPattern = /^[\w-]{1,64}$/;

/** With what links are signed that answer a request, as configuration says. */
export interface LinkSettings {
  /** Id of one of the keys that verify. */
  key: string;
  /** Path of its private half in PEM; left out: it is a secret. */
  file?: string;
  /** Name of the environment variable that holds the secret. */
  secret?: string;
  /** So long a link holds at most, in ms. */
  validMs: number;
}
