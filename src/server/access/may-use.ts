import type { MiddlewareHandler } from 'hono';
import type { Namespaces } from '../namespaces.js';
import type { ServerEnv } from '../server-env.js';
import type { Role } from './identity.js';

const reading = ['GET', 'HEAD'];
const deciding = /^\/api\/v1\/namespaces\/[^/]+\/(requests|files)(\/|$)/;
const withdrawing = /\/withdraw$/;

/**
 * Refuses whoever may not send something before its body is read. Bodies take memory, and only those who may use the
 * namespace get any.
 */
export function mayUse(namespaces: Namespaces): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const { method, path } = c.req;
    namespaces.open(c.req.param('namespace') ?? '', c.get('identity'), ...rolesFor(method, path));
    return next();
  };
}

/** The roles of which one is needed. The route looks again, at its own. */
function rolesFor(method: string, path: string): [Role, ...Role[]] {
  if (reading.includes(method)) return ['read'];
  if (!deciding.test(path)) return ['operate'];
  return withdrawing.test(path) ? ['decide', 'operate'] : ['decide'];
}
