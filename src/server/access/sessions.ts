import { randomBytes } from 'node:crypto';
import type { Identity } from './identity.js';

const lastsMs = 12 * 3_600_000;

/** How many sessions are kept. */
export interface MostSessions {
  /** Of one person. */
  each: number;
  inAll: number;
}

const usual: MostSessions = { each: 20, inAll: 10_000 };

/**
 * Sessions of browsers, which can't put a bearer token on each of their requests: a token is handed in once, for a cookie
 * that no script can read. They are kept in this process alone; after a restart people hand their tokens in again. Whoever
 * begins too many ends those of their own that were used the longest time ago, and none of others.
 */
export class Sessions {
  /** Those that were used last are at the end; so are they in `ofOne`. */
  private readonly open = new Map<string, Identity>();
  private readonly ofOne = new Map<string | null, Set<string>>();

  constructor(private readonly most: MostSessions = usual) {}

  /** Its id, and when it ends in ms since 1970. */
  begin(identity: Identity): { id: string; until: number } {
    const id = randomBytes(32).toString('base64url');
    const until = Math.min(identity.until, Date.now() + lastsMs);
    const own = this.ofOne.get(identity.name) ?? new Set();
    const [unused] = own;
    if (own.size >= this.most.each && unused !== undefined) this.end(unused);
    this.makeRoom();
    this.keep(id, { ...identity, until });
    return { id, until };
  }

  find(id: string): Identity | null {
    const identity = this.open.get(id) ?? null;
    if (identity === null) return null;
    this.end(id);
    if (identity.until <= Date.now()) return null;
    this.keep(id, identity);
    return identity;
  }

  end(id: string): void {
    const identity = this.open.get(id);
    if (identity === undefined) return;
    this.open.delete(id);
    const own = this.ofOne.get(identity.name);
    own?.delete(id);
    if (own?.size === 0) this.ofOne.delete(identity.name);
  }

  private keep(id: string, identity: Identity): void {
    this.open.set(id, identity);
    this.ofOne.set(identity.name, (this.ofOne.get(identity.name) ?? new Set()).add(id));
  }

  /** What has ended goes first. One person has no more than a few of all: nobody drives others out. */
  private makeRoom(): void {
    if (this.open.size < this.most.inAll) return;
    const now = Date.now();
    for (const [id, { until }] of this.open) if (until <= now) this.end(id);
    const [unused] = this.open.keys();
    if (this.open.size >= this.most.inAll && unused !== undefined) this.end(unused);
  }
}
