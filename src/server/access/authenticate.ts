import { getCookie } from 'hono/cookie';
import type { Context } from 'hono';
import { TactusError } from '../../contract/errors.js';
import type { ServerEnv } from '../server-env.js';
import type { Authenticator, Identity } from './identity.js';
import type { Sessions } from './sessions.js';

export const sessionCookie = 'tactus_session';
const longestToken = 8_000;

/** How the server finds out who asks. `anonymous`: who everybody is where nothing is configured. */
export interface Access {
  authenticators: readonly Authenticator[];
  anonymous: Identity | null;
  sessions: Sessions;
}

/** How it is told in status and documents: `trusted-namespace` where nobody has to prove a name. */
export function modesOf({ authenticators, anonymous }: Access): string[] {
  return anonymous === null ? authenticators.map(({ mode }) => mode) : ['trusted-namespace'];
}

/** @throws TactusError unauthenticated */
export async function identityOfToken({ authenticators }: Access, token: string): Promise<Identity> {
  if (token.length <= longestToken)
    for (const authenticator of authenticators) {
      const identity = await authenticator.identify(token);
      if (identity !== null) return identity;
    }
  throw new TactusError('unauthenticated', 'The token is none that is known here');
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
