import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { executablePaths } from './executable-paths.js';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** A real broker on this machine. */
export interface TestNats {
  address: string;
  start(): Promise<void>;
  /** As a machine does that loses power. */
  kill(): Promise<void>;
}

/** What it was told it keeps in a folder of its own, also when it is killed. */
export async function startNats(): Promise<TestNats> {
  const port = await freePort();
  const folder = temporaryFolder('nats');
  let server: ChildProcess | null = null;
  const nats: TestNats = {
    address: `nats://127.0.0.1:${port}`,
    async start() {
      const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder];
      server = spawn(executablePaths().natsServer, args, { stdio: 'ignore' });
      await waitUntil(() => isOpen(port));
    },
    async kill() {
      if (server === null || server.exitCode !== null) return;
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      server = null;
    },
  };
  await nats.start();
  return nats;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
