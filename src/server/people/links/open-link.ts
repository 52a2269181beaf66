import type { MiddlewareHandler } from 'hono';
import type { LinkClaims } from '../../../authority/signed-links.js';
import { TactusError } from '../../../contract/errors.js';
import { temporalIdentity } from '../../access/temporal-identity.js';
import type { ServerDeps } from '../../server-deps.js';
import type { ServerEnv } from '../../server-env.js';
import { linkOf } from './link-of.js';
import { linkedRequest } from './linked-request.js';

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
        throw new TactusError('unauthenticated', 'This server takes no links: it has no authority.links');
      const claims = linkOf(c.req.header('authorization'), links);
      const namespace = namespaces.get(claims.namespace);
      if (namespace === undefined)
        throw new TactusError('unauthenticated', "The link doesn't hold: it leads to another server's runs");
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
      throw new TactusError('forbidden', 'The link leads to no request that takes a file now');
    return next();
  };
}

/** All links of one person to one request are one: a reminder has a link of its own. */
export function nameOfLink({ namespace, request, approver }: LinkClaims): string {
  return JSON.stringify([namespace, request, approver]);
}
