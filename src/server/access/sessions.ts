import { randomBytes } from 'node:crypto';
import type { Identity } from './identity.js';

const lastsMs = 12 * 3_600_000;
/** So many are kept, the oldest is dropped. */
const mostSessions = 10_000;

/**
 * Sessions of browsers, which can't put a bearer token on each of their requests: a token is handed in once, for a cookie
 * that no script can read. They are kept in this process alone; after a restart people hand their tokens in again.
 */
export class Sessions {
  private readonly open = new Map<string, Identity>();

  /** Its id, and when it ends in ms since 1970. */
  begin(identity: Identity): { id: string; until: number } {
    const id = randomBytes(32).toString('base64url');
    const until = Math.min(identity.until, Date.now() + lastsMs);
    this.open.set(id, { ...identity, until });
    const [oldest] = this.open.keys();
    if (this.open.size > mostSessions && oldest !== undefined) this.open.delete(oldest);
    return { id, until };
  }

  find(id: string): Identity | null {
    const identity = this.open.get(id) ?? null;
    if (identity === null || identity.until > Date.now()) return identity;
    this.open.delete(id);
    return null;
  }

  end(id: string): void {
    this.open.delete(id);
  }
}
