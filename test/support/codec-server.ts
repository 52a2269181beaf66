import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PayloadCodec } from '@temporalio/common';
import { payloadFromJson, payloadToJson } from '../../src/client/runs/archive.js';
import type { JsonObject } from '../../src/contract/json/json.js';

export interface CodecServer {
  url: string;
  /** What it was asked, the first one first. */
  asked: { path: string; headers: IncomingHttpHeaders; count: number }[];
  /** What it answers next, instead of payloads; nothing at all with the status 0. */
  next: { status: number; body: string }[];
  close(): Promise<void>;
}

/** A codec server as Temporal's command line and Web UI ask them. */
export async function codecServer(codec: PayloadCodec, authorization?: string): Promise<CodecServer> {
  const asked: CodecServer['asked'] = [];
  const next: CodecServer['next'] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const answer = (status: number, body: string): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      };
      const { payloads } = JSON.parse(Buffer.concat(pieces).toString()) as { payloads: JsonObject[] };
      const path = request.url ?? '';
      asked.push({ path, headers: request.headers, count: payloads.length });
      const instead = next.shift();
      if (instead?.status === 0) return;
      if (instead !== undefined) return answer(instead.status, instead.body);
      if (authorization !== undefined && request.headers.authorization !== authorization)
        return answer(401, '{"message":"who are you?"}');
      const work = path.endsWith('/encode') ? codec.encode.bind(codec) : codec.decode.bind(codec);
      work(payloads.map(payloadFromJson)).then(
        (made) => answer(200, JSON.stringify({ payloads: made.map(payloadToJson) })),
        (error: unknown) => answer(400, String(error)),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    next,
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(() => done()))),
  };
}
