import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const againMs = 100;

/**
 * A port of a loopback address that nobody uses: the preferred one, or any. The preferred one is waited for: a process that was
 * killed holds its own for a moment after it is gone, and a client that seeks it there may be given the very same for its side.
 */
export async function freePort(preferred = 0, patienceMs = 3_000, ip = '127.0.0.1'): Promise<number> {
  for (const end = Date.now() + patienceMs; ; await wait(againMs)) {
    const port = await tryPort(preferred, ip);
    if (port !== null) return port;
    if (preferred === 0 || Date.now() > end) return (await tryPort(0, ip)) ?? 0;
  }
}

/** Whether a port of an address can be had; port 0 asks whether the system has the address. */
export async function isFree(port: number, ip: string): Promise<boolean> {
  return (await tryPort(port, ip)) !== null;
}

function tryPort(port: number, ip: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, ip, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}
