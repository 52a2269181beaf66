/**
 * What tells whether a token is real: an Ed25519 public key (its 32 bytes in base64url, the `x` of a JWK), or the name of
 * an environment variable that holds a secret for HMAC-SHA256.
 */
export type VerificationKey = { ed25519: string } | { hmac: string };

/** Keys by the ids that tokens name: letters, digits, `_` and `-`. */
export type VerificationKeys = Readonly<Record<string, VerificationKey>>;

/** Ids of keys stand at the beginning of a token: no dot can be in them. */
export const keyIdPattern = /^[\w-]{1,64}$/;
