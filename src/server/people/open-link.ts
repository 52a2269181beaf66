import type { MiddlewareHandler } from 'hono';
import type { LinkClaims } from '../../authority/signed-links.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { mayDecide } from '../../contract/people/ledger/check-decision.js';
import { temporalIdentity } from '../access/identity.js';
import type { ServedNamespace } from '../served-namespace.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { readRequest } from './decide.js';
import { linkOf } from './links.js';
import type { LinkedState } from './link.schema.js';

/** An upload is asked for by itself, or among other questions. */
const takesFiles = ['upload', 'multiple'];

/** Checks the link that a request shows, before its body is read. */
export function openLink({
  links,
  namespaces,
  rateLimits,
}: Pick<ServerDeps, 'links' | 'namespaces' | 'rateLimits'>): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const opened = await rateLimits.countingFailures(c, () => {
      if (links === null)
        throw new TactusError(
          'unauthenticated',
          'This server accepts no links: authority.links is not configured',
        );
      const claims = linkOf(c.req.header('authorization'), links);
      const namespace = namespaces.get(claims.namespace);
      if (namespace === undefined)
        throw new TactusError('unauthenticated', 'The link is not valid: it is for runs of another server');
      const tactus = namespace.tactus.as(temporalIdentity('link', claims.approver));
      return { claims, namespace: { ...namespace, tactus }, keys: links };
    });
    await rateLimits.countLink(nameOfLink(opened.claims));
    c.set('link', opened);
    return next();
  };
}

/** Refuses a file, before it is read, for a link that leads to no request that takes one now. */
export function linkTakesFiles(): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const { claims, namespace } = c.get('link');
    const standing = await linkedRequest(namespace, claims);
    if (standing.state !== 'open' || !takesFiles.includes(standing.request.kind))
      throw new TactusError('forbidden', 'The request of this link does not take a file now');
    return next();
  };
}

/** All links of one person to one request are one: a reminder has a link of its own. */
export function nameOfLink({ namespace, request, approver }: LinkClaims): string {
  return JSON.stringify([namespace, request, approver]);
}

/**
 * How things stand with a request, for whoever has a link to it. What the link wasn't made for isn't shown to them.
 *  - `open`: it can be answered.
 *  - `voted`: this person has answered, and others must, too.
 *  - `closed`: it has been answered, has timed out, or was taken back.
 *  - `expired`: the link's time is over, whatever has become of the request.
 *  - `changed`: something else is asked now.
 *  - `not_allowed`: somebody else is to answer now.
 *  - `gone`: nothing is asked there.
 */
export type LinkStanding = StandingOf<LinkedState>;
type StandingOf<T> = T extends unknown ? Omit<T, 'approver' | 'expires_at'> : never;

/** @throws TactusError run_stuck; no_worker */
export async function linkedRequest(
  namespace: ServedNamespace,
  { request: id, digest, askedAt, approver, expiresAt }: LinkClaims,
  now = Date.now(),
): Promise<LinkStanding> {
  if (now >= expiresAt) return { state: 'expired', at: new Date(expiresAt).toISOString() };
  const read = await readRequest(namespace, id).catch((error: unknown) => {
    if (hasCode(error, 'request_unknown')) return null;
    throw error;
  });
  if (read === null) return { state: 'gone' };
  // What was asked at another time is another request: of a later run of the same id, or after a reset. The log has no digest.
  if (read.state === 'closed') return read.request.created_at === askedAt ? read : { state: 'gone' };
  const { request } = read;
  if (request.digest !== digest) return { state: 'changed' };
  if (request.created_at !== askedAt) return { state: 'gone' };
  const refused = mayDecide(request, { by: approver });
  if (refused !== null) return { state: 'not_allowed', reason: refused.message };
  const vote = request.votes?.find(({ by }) => by === approver);
  return vote === undefined ? read : { state: 'voted', value: vote.value, at: vote.at };
}
