import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/contract/json/json.js';
import { waitUntil } from './wait-until.js';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** To the letter, as it is signed. */
  text: string;
  body: JsonObject;
  /** What it was answered. */
  status: number;
}

interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface MessageReceiver {
  url: string;
  received: Received[];
  /** Answers of the next requests, in this order; then 200. */
  answers: ReceiverAnswer[];
  /** Answers of all requests to a path. */
  byPath: Record<string, ReceiverAnswer>;
  /** While it is set, every request is answered so. */
  down: number | null;
  /** No answer comes before it resolves. */
  held: Promise<void>;
  /** Those that it took, once there are so many. */
  taken(count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** Something that takes messages over HTTP: a webhook, or a chat. */
export async function startReceiver(): Promise<MessageReceiver> {
  const receiver: MessageReceiver = {
    ...{ url: '', received: [], answers: [], byPath: {}, down: null, held: Promise.resolve() },
    taken: (count) =>
      waitUntil(async () => {
        const taken = receiver.received.filter(({ status }) => status === 200);
        return taken.length >= count && taken;
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const { url: path = '', headers: given } = request;
      const down = receiver.down === null ? null : { status: receiver.down };
      const answer: ReceiverAnswer = down ??
        receiver.byPath[path] ??
        receiver.answers.shift() ?? { status: 200 };
      const { status, headers = {}, body = '' } = answer;
      receiver.received.push({
        ...{ path, headers: given, text, status },
        body: (text === '' ? {} : JSON.parse(text)) as JsonObject,
      });
      void receiver.held.then(() => response.writeHead(status, headers).end(body));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
