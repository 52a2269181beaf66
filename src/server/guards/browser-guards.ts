import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { isIP } from 'node:net';
import { TactusError } from '../../contract/errors.js';
import { RequestProblem } from '../http/problem.js';

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
    if (!isOurs)
      throw new TactusError('forbidden', 'The request was sent by a page of another origin, and is refused');
    // Programs send a token, and browsers say where they come from.
    if (origin === undefined && site === undefined && c.req.header('authorization') === undefined)
      if (c.req.header('cookie') !== undefined)
        throw new TactusError(
          'forbidden',
          'The request has a session cookie and no header Origin: send Origin',
        );
    return next();
  };
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

const loopbackNames = ['localhost', '127.0.0.1', '::1'];

/** Whether an address is one of this machine alone. */
export function isLoopback(host: string): boolean {
  const bare = bareName(host);
  return loopbackNames.includes(bare) || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** The names by which a server may be asked: `null` where any will do. */
export function allowedHosts(host: string, named: readonly string[]): readonly string[] | null {
  if (isLoopback(host)) return [...loopbackNames, bareName(host), ...named];
  return named.length === 0 ? null : named;
}

/** Tells whether the server is there, and nothing else. */
export const healthPath = '/api/v1/health';

/** Tell an orchestrator whether this process does anything, and whether it is ready for work. */
export const probePaths = { live: '/livez', ready: '/readyz' } as const;

const probed: readonly string[] = [healthPath, ...Object.values(probePaths)];

/**
 * Turns away requests for other hosts. A page elsewhere whose name has come to lead to this machine (DNS rebinding) would
 * pass for one of ours, and the browser would hand it all answers. A probe of health may ask by address: an orchestrator knows
 * no name, and no name leads there.
 */
export function hostNames(allowed: readonly string[] | null): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header('host') ?? '';
    const name = bareName(host.replace(/:\d+$/, ''));
    const isProbe = probed.includes(c.req.path) && isIP(name) !== 0;
    if (allowed !== null && !isProbe && !allowed.includes(name))
      throw new RequestProblem(
        421,
        'forbidden',
        `This server isn't asked by the name ${JSON.stringify(host)}`,
      );
    return next();
  };
}

function bareName(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

/** What browsers may do with answers of this server: a page of ours has no script, style or picture from elsewhere. */
export function headers(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    referrerPolicy: 'no-referrer',
    crossOriginOpenerPolicy: 'same-origin',
    crossOriginResourcePolicy: 'same-origin',
    permissionsPolicy: { camera: false, microphone: false, geolocation: false },
    // Whoever terminates TLS says how long it must be used.
    strictTransportSecurity: false,
  });
}
