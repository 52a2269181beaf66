import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/worker/embedded-server/free-port.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** A real database server on this machine, of its own. */
export interface TestPostgres {
  address(database: string): string;
  create(database: string): Promise<void>;
  /** Cuts all connections to it. */
  disconnect(database: string): Promise<void>;
  stop(): Promise<void>;
}

/** Where Debian puts what no one else than its own scripts calls. */
const debian = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs; null where there are none. */
export function postgresPrograms(): string | null {
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), '/usr/local/bin', '/usr/bin'];
  return (
    folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))) ?? null
  );
}

/** It refuses to run for root: `nobody` has it then. */
export async function startPostgres(programs: string): Promise<TestPostgres> {
  const folder = temporaryFolder('postgres');
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (isRoot) execFileSync('chown', ['-R', 'nobody', folder]);
  chmodSync(folder, 0o755);
  const options = { ...owner, cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' } };
  const made = ['-D', data, '-A', 'trust', '-U', 'tactus', '-E', 'UTF8', '--no-sync'];
  execFileSync(join(programs, 'initdb'), made, { ...options, stdio: 'ignore' });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off'];
  const server: ChildProcess = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...options, stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const { Client } = (await import('pg')).default;
  const at = (database: string): string => `postgres://tactus@127.0.0.1:${port}/${database}`;
  const admin = async (sql: string): Promise<void> => {
    const client = new Client(at('postgres'));
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await waitUntil(() =>
    admin('SELECT 1').then(
      () => true,
      () => false,
    ),
  );
  return {
    address: at,
    create: (database) => admin(`CREATE DATABASE ${database}`),
    disconnect: (database) =>
      admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`),
    stop: async () => {
      server.kill('SIGINT');
      await ended;
    },
  };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody']).toString());
}
