import { serve, type ServerType } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { TactusError } from '../../contract/errors.js';
import { addressText } from '../../configuration/setting-values.js';

export interface PlaygroundServer {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the files of the playground. It has no API: procedures run in the browser.
 * @param folder that the build made
 * @param port 0: any that is free
 * @throws TactusError usage where the address can't be had
 */
export function servePlayground(folder: string, host: string, port: number): Promise<PlaygroundServer> {
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        // The editor puts its rules into the document.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        workerSrc: ["'self'"],
        formAction: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: 'no-referrer',
      strictTransportSecurity: false,
    }),
  );
  app.get('/*', serveStatic({ root: folder }));
  return new Promise((resolve, reject) => {
    const server: ServerType = serve({ fetch: app.fetch, hostname: host, port }, ({ port: bound }) =>
      resolve({
        url: `http://${addressText({ host, port: bound })}/`,
        close: () => new Promise((done) => server.close(() => done())),
      }),
    );
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'something else listens there' : error.message;
      reject(new TactusError('usage', `${host}:${port} can't be had: ${reason}`));
    });
  });
}
