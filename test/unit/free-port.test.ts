import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';

function held(port: number): Promise<{ port: number; release: () => void }> {
  return new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1', () =>
      resolve({ port: (server.address() as AddressInfo).port, release: () => server.close() }),
    );
  });
}

it('waits for a port that is wanted again, and takes another where it stays taken', async () => {
  const { port, release } = await held(0);
  expect(await freePort(port, 0)).not.toBe(port);
  setTimeout(release, 300);
  expect(await freePort(port, 30_000)).toBe(port);
});
