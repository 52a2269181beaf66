import { execFile, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { isRunning } from '../../../client/runs/is-running.js';
import { searchAttributeTypes } from '../../../contract/names.js';
import { freePort, isFree } from './free-port.js';
import { readServerRecord, type ServerFolder, type ServerRecord } from './server-folder.js';

/** Runs can wait for people: what has closed stays readable for a year instead of a day. */
const retention = '8760h';
const healthyWithinMs = 60_000;
/** What Temporal's command line would else take from the person's own configuration of it. */
const ownConfiguration = ['--disable-config-file', '--disable-config-env'];

export interface StartedServer {
  record: ServerRecord;
  /** To be closed when the server has ended; null where the server has no Web UI. */
  door: WebUiDoor | null;
}

/**
 * Starts Temporal's development server and waits until it answers. It takes the ports that the last one had, where
 * they are free, so that addresses stay right over a restart.
 * @param webUi whether the Web UI is started even where nothing but a random port hides it
 * @throws Error where it ends, or doesn't answer in time; its log says why
 */
export async function startServerProcess(
  temporal: string,
  files: ServerFolder,
  webUi: boolean,
): Promise<StartedServer> {
  const last = readServerRecord(`${files.record}.last`);
  const port = await freePort(last?.port);
  const hidden = (await hiddenPlace()) ?? (webUi ? { ip: '127.0.0.1', port: await freePort() } : null);
  const door = hidden === null ? null : await WebUiDoor.open(await freePort(last?.ui_port ?? 0), hidden);
  try {
    return { record: await answering(temporal, files, port, hidden, door), door };
  } catch (error) {
    door?.close();
    throw error;
  }
}

async function answering(
  temporal: string,
  files: ServerFolder,
  port: number,
  hidden: WebUiPlace | null,
  door: WebUiDoor | null,
): Promise<ServerRecord> {
  const address = `127.0.0.1:${port}`;
  const pid = spawnServer(temporal, files, port, hidden);
  const record: ServerRecord = {
    pid,
    keeper_pid: process.pid,
    port,
    ui_port: door?.port ?? null,
    address,
    ui: door === null ? null : `http://127.0.0.1:${door.port}`,
    pages_kept_out: true,
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

function spawnServer(temporal: string, files: ServerFolder, port: number, hidden: WebUiPlace | null): number {
  const log = openSync(files.log, 'a');
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`];
  if (hidden === null) args.push('--headless');
  else args.push('--ui-ip', hidden.ip, '--ui-port', `${hidden.port}`);
  // Its HTTP API asks nobody who they are and takes what pages of the web send: it answers to a name that nobody knows.
  args.push('--dynamic-config-value', `frontend.httpAllowedHosts=["${randomUUID()}.invalid"]`);
  args.push(
    '--db-filename',
    files.database,
    '--log-level',
    'warn',
    '--ui-disable-news-fetch',
    ...ownConfiguration,
  );
  for (const [name, type] of Object.entries(searchAttributeTypes))
    args.push('--search-attribute', `${name}=${type}`);
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

const gentlyMs = 10_000;

/** Asks a process to end, and makes it where it doesn't. `mark`: what its command line holds. */
export async function stopProcess(pid: number, mark: string): Promise<void> {
  const end = Date.now() + gentlyMs;
  send(pid, mark, 'SIGTERM');
  while (isRunning(pid, mark)) {
    await wait(50);
    if (Date.now() > end) send(pid, mark, 'SIGKILL');
    if (Date.now() > end + gentlyMs) return;
  }
}

function send(pid: number, mark: string, signal: NodeJS.Signals): void {
  if (!isRunning(pid, mark)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** Where Temporal's own Web UI listens. Nothing that a browser runs can find it: see `hiddenPlace`. */
interface WebUiPlace {
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
async function hiddenPlace(): Promise<WebUiPlace | null> {
  const ip = `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
  if (!(await isFree(0, ip))) return null;
  return { ip, port: await freePort(0, 0, ip) };
}

/** The door to the Web UI: what a person opens. It lets in requests that ask for this machine by its own names alone. */
class WebUiDoor {
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
