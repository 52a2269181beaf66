import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { identityOfToken, modesOf, sessionCookie } from './authenticate.js';
import type { Identity } from './identity.js';
import { meSchema, type Me } from './me.schema.js';
import { reply } from '../http/reply.js';
import { json, problems } from '../http/common.schema.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';

const tags = ['session'];
export const sessionPath = '/api/v1/session';

const me = createRoute({
  method: 'get',
  path: '/api/v1/me',
  operationId: 'readMe',
  summary: 'Who asks, and what that one may do',
  tags,
  responses: { 200: json(meSchema, 'Who asks'), ...problems },
});

const begin = createRoute({
  method: 'post',
  path: sessionPath,
  operationId: 'beginSession',
  summary: 'Hand in a token for a cookie, for pages',
  tags,
  security: [],
  request: {
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.strictObject({ token: z.string().min(1).max(8_000) }).openapi('Session'),
        },
      },
    },
  },
  responses: { 200: json(meSchema, 'Who that is'), ...problems },
});

const end = createRoute({
  method: 'delete',
  path: sessionPath,
  operationId: 'endSession',
  summary: 'End the session',
  tags,
  security: [],
  responses: { 204: { description: 'There is none any more' }, ...problems },
});

/** Who asks. The two that begin and end a session are there for whoever isn't signed in. */
export function sessionRoutes(
  app: OpenAPIHono<ServerEnv>,
  { access, rateLimits, publicUrl }: ServerDeps,
): void {
  const shown = ({ until, name, groups, roles: own, namespaces }: Identity): Me => ({
    ...{ name, groups: [...groups], roles: [...own], namespaces: [...namespaces] },
    authentication: modesOf(access),
    until: Number.isFinite(until) ? new Date(until).toISOString() : null,
  });
  // People come by https where the server's address says so, whatever a proxy tells or leaves out.
  const isSecure = (c: Context<ServerEnv>): boolean =>
    [publicUrl(), c.req.url].some((url) => new URL(url).protocol === 'https:') ||
    c.req.header('x-forwarded-proto') === 'https';
  app.openapi(me, (c) => reply(c, 200, shown(c.get('identity'))));
  app.openapi(begin, async (c) => {
    const { token } = c.req.valid('json');
    const identity = await rateLimits.countingFailures(c, () => identityOfToken(access, token));
    c.set('identity', identity);
    await rateLimits.count(c, identity);
    const { id, until } = access.sessions.begin(identity);
    setCookie(c, sessionCookie, id, {
      ...{ path: '/', httpOnly: true, sameSite: 'Strict', expires: new Date(until) },
      secure: isSecure(c),
    });
    return reply(c, 200, shown({ ...identity, until }));
  });
  app.openapi(end, (c) => {
    const id = getCookie(c, sessionCookie);
    if (id !== undefined) access.sessions.end(id);
    deleteCookie(c, sessionCookie, { path: '/', secure: isSecure(c) });
    return c.body(null, 204);
  });
}
