import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const againMs = 100;

/**
 * A port of the loopback interface that nobody uses: the preferred one, or any. The preferred one is waited for: a process that was
 * killed holds its own for a moment after it is gone, and a client that seeks it there may be given the very same for its side.
 */
export async function freePort(preferred = 0, patienceMs = 3_000): Promise<number> {
  for (const end = Date.now() + patienceMs; ; await wait(againMs)) {
    const port = await tryPort(preferred);
    if (port !== null) return port;
    if (preferred === 0 || Date.now() > end) return (await tryPort(0)) ?? 0;
  }
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}
