import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TactusError } from '../../contract/errors.js';
import type { Readiness } from '../../client/index.js';
import { addressText, type ListenAddress } from '../../configuration/setting-values.js';

/** A probe has no body, and is there in a moment. */
const requestMs = 5_000;
const mostConnections = 100;

export interface HealthServer {
  /** `http://0.0.0.0:8701` */
  url: string;
  close(): Promise<void>;
}

/**
 * Answers an orchestrator: `/livez` with 200 as long as this process does anything, `/readyz` with 200 or 503 and what
 * is wrong. Nobody needs to say who they are: it tells no address and no content.
 * @throws TactusError usage where the address can't be had
 */
export async function startHealthServer(
  { host, port }: ListenAddress,
  readiness: Readiness,
): Promise<HealthServer> {
  const server = createServer(
    { requestTimeout: requestMs, headersTimeout: requestMs },
    (request, response) => {
      const isHead = request.method === 'HEAD';
      if (request.method !== 'GET' && !isHead) {
        response.setHeader('allow', 'GET, HEAD');
        answer(response, 405, { status: 'refused' }, isHead);
        return;
      }
      const path = (request.url ?? '').split('?')[0];
      if (path === '/livez') answer(response, 200, { status: 'ok' }, isHead);
      else if (path === '/readyz')
        void readiness
          .report()
          .then((report) => answer(response, report.status === 'ready' ? 200 : 503, report, isHead));
      else answer(response, 404, { status: 'unknown path', paths: ['/livez', '/readyz'] }, isHead);
    },
  );
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'something else listens there' : error.message;
      reject(new TactusError('usage', `The health address ${host}:${port} can't be had: ${reason}`));
    });
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${addressText({ host, port: bound })}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, body: object, isHead: boolean): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(isHead ? undefined : text);
}
