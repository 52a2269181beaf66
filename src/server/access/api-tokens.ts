import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authenticator, Identity } from './identity.js';

/** A token as the server knows it. */
export interface ApiToken {
  /** SHA-256 of the token, 32 bytes. */
  hash: Buffer;
  identity: Identity;
}

/** 32 random bytes need no slow hash: nobody finds them by trying. In characters. */
export const shortestToken = 24;

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Tokens that the configuration has, as hashes. */
export class ApiTokens implements Authenticator {
  readonly mode = 'token';

  constructor(private readonly tokens: readonly ApiToken[]) {}

  identify(token: string): Promise<Identity | null> {
    const given = hashOfToken(token);
    // All are compared, so that the time doesn't tell which one was near.
    const found = this.tokens.filter(({ hash }) => timingSafeEqual(hash, given));
    return Promise.resolve(found[0]?.identity ?? null);
  }
}
