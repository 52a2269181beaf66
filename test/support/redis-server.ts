import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { executablePaths } from './executable-paths.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** A real server on this machine, of its own: Valkey, which speaks Redis's protocol. */
export interface TestRedis {
  address(database: number): string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether there is one here. `REDIS_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasRedis =
  process.env['REDIS_TEST'] === 'required' || (executablePaths().valkeyServer ?? null) !== null;

/** What it was told it keeps in a folder of its own, also when it is stopped. @throws Error where the set-up got none */
export async function startRedis(databases: number): Promise<TestRedis> {
  const program = executablePaths().valkeyServer ?? null;
  if (program === null) throw new Error('There is no Valkey here: `npm test` fetches one for Linux on x64');
  const [port, folder] = [await freePort(), temporaryFolder('redis')];
  const address = (database: number): string => `redis://127.0.0.1:${port}/${database}`;
  let end = async (): Promise<void> => undefined;
  const redis: TestRedis = {
    address,
    async start() {
      const settings = { bind: '127.0.0.1', port, dir: folder, databases, appendonly: 'yes', save: '' };
      const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const server = spawn(program, args, { stdio: 'ignore' });
      const ended = once(server, 'exit');
      end = async () => {
        server.kill('SIGTERM');
        await ended;
      };
      await waitUntil(() => answers(address(0)));
    },
    stop: () => end(),
  };
  await redis.start();
  return redis;
}

async function answers(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
    return true;
  } catch {
    return false;
  } finally {
    if (client.isOpen) client.destroy();
  }
}
