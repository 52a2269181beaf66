import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { executablePaths } from './executable-paths.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** A real database server on this machine, of its own. */
export interface TestPostgres {
  address(database: string): string;
  create(database: string): Promise<void>;
  /** Cuts all connections to it. */
  disconnect(database: string): Promise<void>;
  /** Stops it, keeps a copy of all that it has, and starts it again. */
  backUp(): Promise<void>;
  /** Stops it, puts the copy in the place of what it has, and starts it again. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether there is one here. `POSTGRES_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasPostgres =
  process.env['POSTGRES_TEST'] === 'required' || (executablePaths().postgres ?? null) !== null;

/** @throws Error where the set-up got none */
export async function startPostgres(): Promise<TestPostgres> {
  const kept = executablePaths().postgres ?? null;
  if (kept === null) throw new Error('There is no PostgreSQL here: `npm test` fetches one for Linux on x64');
  const folder = temporaryFolder('postgres');
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  // It refuses to run for root, as in containers: somebody else has it then, who may not look into root's folders.
  const isRoot = process.getuid?.() === 0;
  const programs = isRoot ? join(folder, 'programs') : kept;
  const owner = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (isRoot) {
    cpSync(kept, programs, { recursive: true, verbatimSymlinks: true });
    execFileSync('chown', ['-R', 'nobody', data]);
  }
  chmodSync(folder, 0o755);
  const options = { ...owner, cwd: data, env: { PATH: process.env['PATH'] ?? '' } };
  const made = ['-D', data, '-A', 'trust', '-U', 'tactus', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'bin', 'initdb'), made, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${data}`, 'fsync=off'];
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const startServer = (): ChildProcess =>
    spawn(join(programs, 'bin', 'postgres'), args, { ...options, stdio: 'ignore' });
  let server = startServer();
  const { Client } = (await import('pg')).default;
  const at = (database: string): string => `postgres://tactus@127.0.0.1:${port}/${database}`;
  const admin = async (sql: string): Promise<void> => {
    const client = new Client(at('postgres'));
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const answers = (): Promise<boolean> =>
    waitUntil(() =>
      admin('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
  await answers();
  const stop = async (): Promise<void> => {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  };
  const copy = join(folder, 'copy');
  const again = async (whileStopped: () => void): Promise<void> => {
    await stop();
    whileStopped();
    server = startServer();
    await answers();
  };
  return {
    address: at,
    create: (database) => admin(`CREATE DATABASE ${database}`),
    disconnect: (database) =>
      admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`),
    backUp: () => again(() => execFileSync('cp', ['-a', data, copy])),
    restore: () =>
      again(() => {
        rmSync(data, { recursive: true });
        execFileSync('cp', ['-a', copy, data]);
      }),
    stop,
  };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody']).toString());
}
