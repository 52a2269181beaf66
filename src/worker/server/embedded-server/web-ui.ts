import { randomInt } from 'node:crypto';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { freePort, isFree } from './free-port.js';

/** Where Temporal's own Web UI listens. Nothing that a browser runs can find it: see `hiddenPlace`. */
export interface WebUiPlace {
  ip: string;
  port: number;
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * A place for the Web UI that no page of the web finds. The Web UI asks nobody who they are, and answers to any name, so a page
 * whose name is made to lead to this machine (DNS rebinding) would start and answer runs through it. Such a page tries
 * ports of 127.0.0.1; of the 16 million other loopback addresses it would have to guess the right one as well.
 * @returns null where the system has no other loopback address than 127.0.0.1, as macOS has not
 */
export async function hiddenPlace(): Promise<WebUiPlace | null> {
  const ip = `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
  if (!(await isFree(0, ip))) return null;
  return { ip, port: await freePort(0, 0, ip) };
}

/** The door to the Web UI: what a person opens. It lets in requests that ask for this machine by its own names alone. */
export class WebUiDoor {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @throws Error where the port is taken */
  static open(port: number, hidden: WebUiPlace): Promise<WebUiDoor> {
    const server = createServer((asked, answer) => {
      const reason = refusal(asked);
      if (reason === null) passOn(asked, answer, hidden);
      else refuse(asked, answer, reason);
    });
    return new Promise((opened, failed) => {
      server.once('error', failed);
      server.listen(port, '127.0.0.1', () => opened(new WebUiDoor(server, port)));
    });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Why a request isn't passed on; null where it is. */
function refusal({ headers, method = '' }: IncomingMessage): string | null {
  const host = headers.host ?? '';
  if (!loopbackNames.includes(host.replace(/:\d+$/, '').toLowerCase()))
    return `The Web UI is not available by the name ${JSON.stringify(host)}. Open it at 127.0.0.1 or localhost`;
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  // A form of another page is a navigation, too.
  const isRead = ['GET', 'HEAD'].includes(method);
  const isOpened = isRead && mode === 'navigate';
  const isForeign =
    origin === undefined
      ? typeof site === 'string' && !['same-origin', 'none'].includes(site)
      : origin !== `http://${host}`;
  return isForeign && !isOpened ? 'Pages of other origins may not use the Web UI' : null;
}

function passOn(asked: IncomingMessage, answer: ServerResponse, { ip, port }: WebUiPlace): void {
  const { method, url, headers } = asked;
  const passed = request(
    { host: ip, port, method, path: url, headers: { ...headers, host: `${ip}:${port}` } },
    (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      pipeline(given, answer, () => undefined);
    },
  );
  passed.on('error', () => {
    if (answer.headersSent) answer.destroy();
    else refuse(asked, answer, 'The Web UI does not answer', 502);
  });
  answer.on('close', () => passed.destroy());
  pipeline(asked, passed, () => undefined);
}

function refuse(asked: IncomingMessage, answer: ServerResponse, reason: string, status = 403): void {
  answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  answer.end(`${reason}\n`);
  asked.resume();
}
