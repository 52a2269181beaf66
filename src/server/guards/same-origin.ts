import type { MiddlewareHandler } from 'hono';
import { TactusError } from '../../contract/errors.js';

const harmless = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Turns away what a page elsewhere has a browser send (CSRF): a browser says whose page sends what changes something, and
 * would add the cookie, or reach a server on this machine that asks nobody for a name.
 */
export function sameOrigin(origins: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    if (harmless.includes(c.req.method)) return next();
    const origin = c.req.header('origin');
    const site = c.req.header('sec-fetch-site');
    const isOurs =
      origin === undefined
        ? site === undefined || ['same-origin', 'none'].includes(site)
        : origins.includes(origin) || hostOf(origin) === c.req.header('host');
    if (!isOurs) throw new TactusError('forbidden', 'Pages of other origins may not send this');
    // Programs send a token, and browsers say where they come from.
    if (origin === undefined && site === undefined && c.req.header('authorization') === undefined)
      if (c.req.header('cookie') !== undefined)
        throw new TactusError(
          'forbidden',
          'A request with a cookie says where it comes from: Origin is missing',
        );
    return next();
  };
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
