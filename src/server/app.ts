import { serveStatic } from '@hono/node-server/serve-static';
import { OpenAPIHono } from '@hono/zod-openapi';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { authenticate } from './access/authenticate.js';
import type { Identity } from './access/identity.js';
import { audited } from './audit/audit-log.js';
import { guardBodies } from './guards/guard-bodies.js';
import { headers, healthPath, hostNames, probePaths, sameOrigin } from './guards/browser-guards.js';
import { answered, type OnRequest } from './http/answered.js';
import { noSuchPath, problemOf, RequestProblem } from './http/problem.js';
import { codecRoutes } from './payloads/codec-routes.js';
import { deadLetterRoutes } from './dead-letters/dead-letter-routes.js';
import { eventRoutes } from './events/event-routes.js';
import { fileRoutes } from './files/file-routes.js';
import { linkPaths, linkRoutes } from './people/link-routes.js';
import { procedureRoutes } from './procedures/procedure-routes.js';
import { requestRoutes } from './people/request-routes.js';
import { holdRoutes } from './changes/hold-routes.js';
import { pauseRoutes } from './changes/pause-routes.js';
import { runRoutes } from './runs/run-routes.js';
import { scoreRoutes } from './scores/score-routes.js';
import { sendRoutes } from './events/send-routes.js';
import { sessionPath, sessionRoutes } from './access/session-routes.js';
import type { ServerDeps } from './server-deps.js';
import type { ServerEnv } from './server-env.js';

const longCached = /\/assets\//;

/**
 * Serves a page that was built: its files as they are, and `index.html` for every other path, whose parts the page reads by
 * itself. Files in `assets/` have names that change with their content.
 */
function servePages(app: OpenAPIHono<ServerEnv>, folder: string): void {
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  app.get(
    '/*',
    async (c, next) => {
      await next();
      const isKept = longCached.test(c.req.path) && c.res.status === 200;
      const fresh = c.req.path === '/link' ? 'no-store' : 'no-cache';
      c.header('cache-control', isKept ? 'public, max-age=31536000, immutable' : fresh);
    },
    serveStatic({ root: folder }),
    (c) => {
      // A link is one person's, for a while: nobody keeps it, or finds it.
      if (c.req.path === '/link') c.header('x-robots-tag', 'noindex, nofollow');
      const isPage = !/^\/(api|hooks|assets)(\/|$)/.test(c.req.path);
      return isPage ? c.html(index) : c.notFound();
    },
  );
}

export interface AppOptions {
  /** Names by which the server may be asked; null: any. */
  hosts: readonly string[] | null;
  /** Pages of these origins may ask it, besides its own. */
  origins: readonly string[];
  version: string;
  /** The largest file that is taken. */
  uploadBytes: number;
  /** Folder of the page's files, which are served at `/`; null: there is no page. */
  pages: string | null;
  /** Told of each request that was answered. */
  onRequest?: OnRequest;
}

/** Paths that need nobody to be signed in. */
const open: readonly string[] = [
  '/api/v1/openapi.json',
  healthPath,
  sessionPath,
  ...Object.values(linkPaths),
];

const documentOf = (version: string) => ({
  openapi: '3.1.0',
  info: { title: 'tactus-temporal', version, description: 'Runs of procedures, and what they ask people.' },
  security: [{ bearer: [] }],
});

/** The OpenAPI document that `GET /api/v1/openapi.json` answers, without a server. */
export function apiDocument(version: string): object {
  // eslint-disable-next-line no-restricted-syntax -- routes look at what they depend on when they are asked, and nobody asks these
  const nothing = { audit: null } as unknown as ServerDeps;
  const options = { hosts: null, origins: [], version, uploadBytes: 0, pages: null };
  return createApp(nothing, options).getOpenAPI31Document(documentOf(version));
}

/** The HTTP API: what all requests pass, and the routes. */
export function createApp(
  deps: ServerDeps,
  { hosts, origins, version, uploadBytes, pages, onRequest }: AppOptions,
): OpenAPIHono<ServerEnv> {
  const app = new OpenAPIHono<ServerEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const errors = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      const [first] = errors;
      throw new RequestProblem(
        400,
        'usage',
        `${result.target === 'json' ? 'The body' : `The ${result.target}`} is wrong: ${first?.path ?? ''} ${first?.message ?? ''}`,
        errors.slice(0, 20),
      );
    },
  });
  app.onError((error) => problemOf(error, deps.onTrouble));
  app.notFound((c) => noSuchPath(c));
  app.use(requestId({ limitLength: 100 }), answered(onRequest));
  app.use('/api/*', audited(deps.audit));
  app.use('/hooks/*', audited(deps.audit));
  app.use(
    headers(),
    hostNames(hosts),
    methodNotAllowed({
      app,
      onMethodNotAllowed: ({ req }, methods) => {
        const allow = methods.join(', ');
        const refused = new RequestProblem(405, 'usage', `${req.path} takes ${allow}`, undefined, { allow });
        return problemOf(refused, deps.onTrouble);
      },
    }),
  );
  if (origins.length > 0)
    app.use(
      '/api/*',
      cors({
        origin: [...origins],
        credentials: true,
        allowHeaders: ['authorization', 'content-type', 'last-event-id', 'x-namespace'],
        allowMethods: ['GET', 'POST', 'DELETE'],
        maxAge: 600,
      }),
    );
  app.use('/api/*', sameOrigin(origins), async (c, next) => {
    if (open.includes(c.req.path)) return next();
    const who = (): Promise<Identity> => authenticate(c, deps.access);
    const proves = c.req.header('authorization') !== undefined;
    const identity = await (proves ? deps.rateLimits.countingFailures(c, who) : who());
    c.set('identity', identity);
    await deps.rateLimits.count(c, identity);
    return next();
  });
  guardBodies(app, deps, uploadBytes);
  sessionRoutes(app, deps);
  runRoutes(app, deps);
  pauseRoutes(app, deps);
  holdRoutes(app, deps);
  scoreRoutes(app, deps);
  codecRoutes(app, deps);
  deadLetterRoutes(app, deps);
  requestRoutes(app, deps);
  eventRoutes(app, deps);
  sendRoutes(app, deps);
  fileRoutes(app, deps);
  linkRoutes(app, deps);
  procedureRoutes(app, deps);
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  app.openAPIRegistry.registerComponent('securitySchemes', 'link', {
    ...{ type: 'http', scheme: 'link', description: 'What stands behind the # of a link in a message' },
  });
  app.get(healthPath, (c) => c.json({ status: 'ok' }));
  app.get(probePaths.live, (c) => c.json({ status: 'ok' }));
  app.get(probePaths.ready, async (c) => {
    const report = await deps.readiness.report();
    return c.json(report, report.status === 'ready' ? 200 : 503);
  });
  app.doc31('/api/v1/openapi.json', documentOf(version));
  if (pages !== null) servePages(app, pages);
  return app;
}
