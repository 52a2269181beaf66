import { serveStatic } from '@hono/node-server/serve-static';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerEnv } from './server-env.js';

const longCached = /\/assets\//;

/**
 * Serves a page that was built: its files as they are, and `index.html` for every other path, whose parts the page reads by
 * itself. Files in `assets/` have names that change with their content.
 */
export function servePages(app: OpenAPIHono<ServerEnv>, folder: string): void {
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
