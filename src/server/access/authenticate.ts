import { getCookie } from 'hono/cookie';
import type { Context } from 'hono';
import { randomBytes } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import type { ServerEnv } from '../server-env.js';
import type { Authenticator, Identity } from './identity.js';

export const sessionCookie = 'tactus_session';
const longestToken = 8_000;

/** How the server finds out who asks. `anonymous`: who everybody is where nothing is configured. */
export interface Access {
  authenticators: readonly Authenticator[];
  anonymous: Identity | null;
  sessions: Sessions;
}

/** How it is told in status and documents: `trusted-namespace` where nobody has to prove a name. */
export function modesOf({ authenticators, anonymous }: Access): Identity['mode'][] {
  return anonymous === null ? authenticators.map(({ mode }) => mode) : ['trusted-namespace'];
}

/** @throws TactusError unauthenticated */
export async function identityOfToken({ authenticators }: Access, token: string): Promise<Identity> {
  if (token.length <= longestToken)
    for (const authenticator of authenticators) {
      const identity = await authenticator.identify(token);
      if (identity !== null) return identity;
    }
  throw new TactusError('unauthenticated', 'This server does not know the token');
}

/** Who asks. @throws TactusError unauthenticated */
export async function authenticate(c: Context<ServerEnv>, access: Access): Promise<Identity> {
  if (access.anonymous !== null) return access.anonymous;
  const header = c.req.header('authorization');
  if (header !== undefined) {
    const [, token] = /^Bearer +([^\s]+)$/i.exec(header) ?? [];
    if (token === undefined)
      throw new TactusError('unauthenticated', 'The header Authorization must be: Bearer TOKEN');
    return identityOfToken(access, token);
  }
  const cookie = getCookie(c, sessionCookie);
  const identity = cookie === undefined ? null : access.sessions.find(cookie);
  if (identity !== null) return identity;
  throw new TactusError(
    'unauthenticated',
    cookie === undefined ? 'A token is needed: Authorization: Bearer TOKEN' : 'The session has ended',
  );
}

const lastsMs = 12 * 3_600_000;

/** How many sessions are kept. */
interface MostSessions {
  /** Of one person. */
  each: number;
  inAll: number;
}

const usual: MostSessions = { each: 20, inAll: 10_000 };

/**
 * Sessions of browsers, which can't put a bearer token on each of their requests: a token is handed in once, for a cookie
 * that no script can read. They are kept in this process alone; after a restart people hand their tokens in again.
 *
 * Owns: the open sessions, in the order of their last use.
 * Asks: nobody.
 * Invariants:
 *  1. A session is in `open` if and only if it is in `ofOne` of its person.
 *  2. One person has at most `each` sessions, all have at most `inAll`. Whoever begins too many ends their own oldest one.
 *  3. A session lasts no longer than its token, and 12 h at most.
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
