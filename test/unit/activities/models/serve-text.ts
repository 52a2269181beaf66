import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function serve(text: string): Promise<Server> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Writes the same piece of an answer until whoever listens hangs up. */
export async function serveForEver(delta: object): Promise<{ server: Server; hungUp: Promise<void> }> {
  const piece = { id: 'x', choices: [{ index: 0, delta }] };
  let hangUp = (): void => undefined;
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve));
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(`data: ${JSON.stringify(piece)}\n\n`), 1);
    response.on('close', () => {
      clearInterval(timer);
      hangUp();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, hungUp };
}

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
