import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transform } from 'node:stream';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliCompress, createGzip } from 'node:zlib';

/** How an answer has no end. */
export type Endless =
  /** The same piece again and again, as fast as it is taken. */
  | 'flood'
  /** The same, packed a thousandfold. */
  | 'gzip'
  | 'br'
  /** Packed, and packed again. */
  | 'gzip, gzip'
  /** A piece, a little later another one, and so on. */
  | 'drip'
  /** The beginning, and nothing more. */
  | 'silence'
  /** A redirect to where it was asked. */
  | 'redirect';

export interface EndlessAnswer {
  how: Endless;
  type?: string;
  status?: number;
  /** What the body begins with. */
  begin?: string;
  /** What follows, for ever. */
  piece?: string;
  everyMs?: number;
}

export interface EndlessServer {
  url: string;
  /** Paths and bodies of what was asked. */
  asked: { path: string; body: string }[];
  /** Bytes that were taken of all bodies, before they were packed. */
  taken(): number;
  /** Answers of which somebody still waits for the end. */
  open(): number;
  close(): Promise<void>;
}

/** More than any reader takes: an endless answer to a reader without bounds ends here, and the test fails. */
const mostBytes = 400_000_000;

/** A server whose answers have no end; `answer` may give a whole one as JSON instead. */
export async function startEndless(
  answer: (path: string, body: string) => EndlessAnswer | { json: unknown } | { status: number },
): Promise<EndlessServer> {
  const asked: { path: string; body: string }[] = [];
  const open = new Set<ServerResponse>();
  let taken = 0;
  const begin = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    const path = request.url ?? '';
    asked.push({ path, body });
    const given = answer(path, body);
    if ('json' in given) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(given.json));
      return;
    }
    if (!('how' in given)) {
      response.writeHead(given.status).end();
      return;
    }
    open.add(response);
    response.once('close', () => open.delete(response));
    const { how, type = 'application/json', status = 200, begin: first = '"', everyMs = 20 } = given;
    const piece = given.piece ?? 'a'.repeat(64 * 1024);
    if (how === 'redirect') {
      response.writeHead(302, { location: path }).end();
      return;
    }
    const isPacked = how === 'gzip' || how === 'br' || how === 'gzip, gzip';
    response.writeHead(status, { 'content-type': type, ...(isPacked ? { 'content-encoding': how } : {}) });
    if (how === 'silence') {
      response.write(first);
      return;
    }
    if (how === 'drip') {
      response.write(first);
      const timer = setInterval(() => response.write(given.piece ?? 'a'), everyMs);
      response.once('close', () => clearInterval(timer));
      return;
    }
    const source = Readable.from(
      (function* () {
        yield Buffer.from(first);
        for (const each = Buffer.from(piece); taken < mostBytes; taken += each.length) yield each;
      })(),
      { objectMode: true, highWaterMark: 1 },
    );
    const packers: Transform[] =
      how === 'flood' ? [] : how === 'br' ? [createBrotliCompress()] : [createGzip()];
    if (how === 'gzip, gzip') packers.push(createGzip());
    await pipeline([source, ...packers, response] as [Readable, ...Transform[], Writable]).catch(
      () => undefined,
    );
  };
  const server = createServer((request, response) => void begin(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    taken: () => taken,
    open: () => open.size,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
