import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { searchAttributeNames } from '../../contract/names.js';
import { freePort } from './free-port.js';
import type { ServerFolder } from './server-folder.js';
import { readServerRecord, type ServerRecord } from './server-record.js';

/** Runs can wait for people: what has closed stays readable for a year instead of a day. */
const retention = '8760h';
const healthyWithinMs = 60_000;
/** What Temporal's command line would else take from the person's own configuration of it. */
const ownConfiguration = ['--disable-config-file', '--disable-config-env'];

/**
 * Starts Temporal's development server and waits until it answers. It takes the ports that the last one had, where
 * they are free, so that addresses stay right over a restart.
 * @throws Error where it ends, or doesn't answer in time; its log says why
 */
export async function startServerProcess(temporal: string, files: ServerFolder): Promise<ServerRecord> {
  const last = readServerRecord(`${files.record}.last`);
  const port = await freePort(last?.port);
  const uiPort = await freePort(last?.ui_port);
  const address = `127.0.0.1:${port}`;
  const pid = spawnServer(temporal, files, port, uiPort);
  const record: ServerRecord = {
    pid,
    keeper_pid: process.pid,
    port,
    ui_port: uiPort,
    address,
    ui: `http://127.0.0.1:${uiPort}`,
    started_at: new Date().toISOString(),
  };
  const end = Date.now() + healthyWithinMs;
  // It keeps the retention for good, and answers only when all of it is up: setting it is the health check.
  while (!(await setRetention(temporal, address))) {
    if (!isAlive(pid)) throw new Error('The server has ended');
    if (Date.now() > end) throw new Error(`The server didn't answer within ${healthyWithinMs / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return record;
}

function spawnServer(temporal: string, files: ServerFolder, port: number, uiPort: number): number {
  const attributes = [searchAttributeNames.procedure, searchAttributeNames.status];
  const log = openSync(files.log, 'a');
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--ui-port', `${uiPort}`];
  args.push(
    '--db-filename',
    files.database,
    '--log-level',
    'warn',
    '--ui-disable-news-fetch',
    ...ownConfiguration,
  );
  for (const name of attributes) args.push('--search-attribute', `${name}=Keyword`);
  const server = spawn(temporal, args, { cwd: files.folder, stdio: ['ignore', log, log] });
  closeSync(log);
  server.on('error', () => undefined); // it has no process id then
  if (server.pid === undefined) throw new Error(`${temporal} can't be started`);
  return server.pid;
}

function setRetention(temporal: string, address: string): Promise<boolean> {
  const args = ['operator', 'namespace', 'update', '--namespace', 'default', '--retention', retention];
  args.push('--address', address, ...ownConfiguration);
  return new Promise((resolve) =>
    execFile(temporal, args, { timeout: 10_000 }, (error) => resolve(error === null)),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
