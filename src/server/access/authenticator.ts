import type { Identity } from './identity.js';

/** Finds out whose a bearer token is. */
export interface Authenticator {
  /** How it is told in status and documents. */
  readonly mode: 'token' | 'jwt';
  /** null: the token is none of this kind. @throws TactusError unauthenticated: it is, and it doesn't hold */
  identify(token: string): Promise<Identity | null>;
}
