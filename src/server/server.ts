import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TactusError } from '../contract/errors.js';
import { addressText } from '../configuration/setting-values.js';
import { defined } from '../contract/json/json.js';
import type { OnRequest } from './http/answered.js';
import { Readiness } from '../client/index.js';
import type { StreamReader } from '../streams/run-streams.js';
import type { Traces } from '../traces/index.js';
import { modesOf, type Access } from './access/authenticate.js';
import type { AuditLog } from './audit/audit-log.js';
import { createApp } from './app.js';
import { EventStreams } from './events/sse.js';
import { allowedHosts, isLoopback } from './guards/browser-guards.js';
import { RateLimits } from './guards/rate-limits.js';
import type { LinkKeys } from './people/links.js';
import { Namespaces } from './namespaces.js';
import type { Procedures, ServedNamespace } from './served-namespace.js';
import { usualUploadLimits, type UploadLimits } from './files/uploads.js';
import type { Webhooks } from './events/webhooks/webhooks.js';

export interface ServerOptions {
  host: string;
  /** 0: any that is free. */
  port: number;
  namespaces: readonly ServedNamespace[];
  access: Access;
  procedures: Procedures;
  /** What agents say while they say it; null: runs have no `stream` events. */
  streams: StreamReader | null;
  /** Further names by which the server is asked, behind a proxy say. */
  hosts: readonly string[];
  /** Pages of these origins may ask it, besides its own. */
  origins: readonly string[];
  /** Requests of one identity in a minute. */
  perMinute: number;
  /** Streams of events that may be open at once. */
  mostStreams: number;
  version: string;
  /** The largest file that is taken. */
  uploadBytes: number;
  /** Left out: the usual ones. */
  uploadLimits?: UploadLimits;
  webhooks: Webhooks;
  /** Whether it is ready for work; left out: as soon as it listens. */
  readiness?: Readiness;
  /** Where it is written who did what; left out: nowhere. */
  audit?: AuditLog | null;
  /** What its spans are made by; left out: it makes none. */
  traces?: Traces | null;
  /** What links are looked at and answered with; null: none are taken. */
  links: LinkKeys | null;
  /** Where people reach it, behind a proxy say; null: where it listens. */
  publicUrl: string | null;
  /** Folder of the page's files, which are served at `/`; null: there is no page. */
  pages: string | null;
  /** Told of each request that was answered: `error` where this server failed. Left out: nobody is. */
  onRequest?: OnRequest;
  /** Told of what goes wrong here. */
  onTrouble: (problem: string) => void;
}

export interface RunningServer {
  host: string;
  port: number;
  url: string;
  /** `trusted-namespace`, `token`, `jwt`. */
  authentication: string[];
  /** Answers what is under way, and ends. */
  close(): Promise<void>;
}

const closeMs = 5_000;
/** A path may hold an id of 1,000 characters, each of them nine times as long there. */
const maxHeaderSize = 32_768;

/**
 * Serves the HTTP API.
 * @throws TactusError config_invalid where others than this machine could ask without saying who they are; usage where the
 *   address can't be had
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, access, procedures, streams, webhooks, links, onTrouble } = options;
  if (access.anonymous !== null && !isLoopback(host))
    throw new TactusError(
      'config_invalid',
      `Anybody who can reach ${host} could decide in anybody's name. Set server.tokens or server.jwt in .tactus/config.yml, or serve this machine alone: --host 127.0.0.1`,
    );
  const namespaces = new Namespaces(options.namespaces, options.uploadLimits ?? usualUploadLimits);
  const eventStreams = new EventStreams(options.mostStreams);
  const rateLimits = new RateLimits(options.perMinute);
  let url = options.publicUrl?.replace(/\/$/, '') ?? '';
  const app = createApp(
    {
      ...{ namespaces, access, procedures, streams, eventStreams, rateLimits, webhooks, links, onTrouble },
      audit: options.audit ?? null,
      traces: options.traces ?? null,
      readiness: options.readiness ?? new Readiness([]),
      publicUrl: () => url,
    },
    {
      hosts: allowedHosts(host, options.hosts),
      ...{ origins: options.origins, version: options.version },
      ...{ uploadBytes: options.uploadBytes, pages: options.pages },
      ...defined({ onRequest: options.onRequest }),
    },
  );
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { maxHeaderSize } }) as Server;
  server.on('clientError', refuseMalformed);
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  const own = `http://${addressText({ host, port: bound })}`;
  if (url === '') url = own;
  return {
    host,
    port: bound,
    url: own,
    authentication: modesOf(access),
    close: async () => {
      eventStreams.close();
      namespaces.close();
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeIdleConnections();
      const patience = setTimeout(() => server.closeAllConnections(), closeMs);
      await closed;
      clearTimeout(patience);
      await options.audit?.close();
    },
  };
}

/** @throws TactusError usage where the address can't be had */
export function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'something else listens there' : error.message;
      reject(new TactusError('usage', `${host}:${port} can't be had: ${reason}`));
    });
    server.listen(port, host, resolve);
  });
}

const tooLarge = 'HPE_HEADER_OVERFLOW';

/** Answers what is no HTTP, or has too long a path or headers, as all else is answered that is wrong. */
function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
  const [status, reason, detail] =
    code === tooLarge
      ? [431, 'Request Header Fields Too Large', 'The path and the headers are too long']
      : [400, 'Bad Request', 'The request is no HTTP'];
  const problem = { type: 'urn:tactus:error:usage', title: 'usage', status, code: 'usage', detail };
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
