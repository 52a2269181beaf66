import type { MiddlewareHandler } from 'hono';
import { isIP } from 'node:net';
import { RequestProblem } from '../http/problem.js';

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

/**
 * Turns away requests for other hosts. A page elsewhere whose name has come to lead to this machine (DNS rebinding) would
 * pass for one of ours, and the browser would hand it all answers. A probe of health may ask by address: an orchestrator knows
 * no name, and no name leads there.
 */
export function hostNames(allowed: readonly string[] | null): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header('host') ?? '';
    const name = bareName(host.replace(/:\d+$/, ''));
    const isProbe = c.req.path === healthPath && isIP(name) !== 0;
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
