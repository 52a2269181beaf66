import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressText } from '../../configuration/setting-values.js';
import { listen } from '../server.js';

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
export async function servePlayground(folder: string, host: string, port: number): Promise<PlaygroundServer> {
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
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${addressText({ host, port: bound })}/`,
    close: () => new Promise((done) => server.close(() => done())),
  };
}
