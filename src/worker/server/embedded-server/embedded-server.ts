import { spawn } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../../contract/errors.js';
import { isRunning } from '../../../client/runs/is-running.js';
import { keeperMark, lockHolder } from './server-lock.js';
import {
  makeServerFolder,
  readServerRecord,
  serverFolder,
  type ServerFolder,
  type ServerRecord,
} from './server-folder.js';
import { stopProcess } from './server-process.js';

const startWithinMs = 90_000;
const shownLogLines = 5;
const mostTaken = 5;
/** All that the server needs of our environment; keys of model providers least of all. */
const passedOn = ['PATH', 'HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'SystemRoot', 'TZ'];

export interface EmbeddedServerOptions {
  workingFolder: string;
  /** Temporal's executable. */
  temporal: () => Promise<string>;
  /** Stops after so long without a command; 0: never. */
  idleMs: number;
  /** Whether the Web UI is started even where nothing but a random port hides it from pages of the web. */
  webUi?: boolean;
  /** Told once where the server has to be started first. */
  onStart?: () => void;
  /** Told once where the last server of this folder was one of 0.8.0 or before. */
  onUpgrade?: () => void;
}

/** The server of a working folder, where one runs. A record of processes that died counts for nothing. */
export function findEmbeddedServer(workingFolder: string): ServerRecord | null {
  const files = serverFolder(workingFolder);
  const record = readServerRecord(files.record);
  if (record === null || !isRunning(record.keeper_pid, keeperMark)) return null;
  return isRunning(record.pid, files.database) ? record : null;
}

/**
 * The server of a working folder, started where none runs. It outlives this process, and is the only one of its
 * folder however many commands ask for it at once.
 * @throws TactusError server_unreachable with the end of the server's log
 */
export async function ensureEmbeddedServer(options: EmbeddedServerOptions): Promise<ServerRecord> {
  const { workingFolder } = options;
  const files = serverFolder(workingFolder);
  makeServerFolder(files);
  touchUsed(workingFolder);
  const found = findEmbeddedServer(workingFolder);
  if (found !== null && isEnough(found, options)) return found;
  const last = found ?? readServerRecord(`${files.record}.last`);
  if (last !== null && !keepsPagesOut(last)) options.onUpgrade?.();
  if (found !== null) await stopEmbeddedServer(workingFolder);
  const temporal = await options.temporal();
  options.onStart?.();
  const end = Date.now() + startWithinMs;
  let taken = 0;
  while (Date.now() < end) {
    const from = logEnd(files);
    const failed = await startKeeper(files, temporal, options);
    const record = findEmbeddedServer(workingFolder);
    if (record !== null) return record;
    if (failed) {
      const said = logSince(files, from);
      // Between the look for a free port and its use, somebody took it.
      if (troubleOf(files, said) === 'port_taken' && ++taken < mostTaken) continue;
      throw cantStart(files, 'could not be started', said);
    }
    // Another keeper has the lock: it is starting a server, or about to stop one.
    await wait(200);
  }
  throw cantStart(files, `did not start within ${startWithinMs / 1_000} s`, logSince(files, 0));
}

/** A server of an older version lets pages of the web in: it is started anew, at the same address. Its runs stay. */
function isEnough(server: ServerRecord, { webUi = false }: EmbeddedServerOptions): boolean {
  return keepsPagesOut(server) && (!webUi || server.ui !== null);
}

function keepsPagesOut(server: Partial<ServerRecord>): boolean {
  return server.pages_kept_out === true;
}

/** Says that the server is in use: its idle time begins anew. */
export function touchUsed(workingFolder: string): void {
  const { used } = serverFolder(workingFolder);
  const now = new Date();
  try {
    utimesSync(used, now, now);
  } catch {
    writeFileSync(used, '');
  }
}

/** Stops the server of a working folder; false where none was running. Runs stay in its database. */
export async function stopEmbeddedServer(workingFolder: string): Promise<boolean> {
  const files = serverFolder(workingFolder);
  const keeper = lockHolder(files.lock);
  const left = readServerRecord(files.record);
  if (keeper !== null) await stopProcess(keeper, keeperMark);
  const isLeft = left !== null && isRunning(left.pid, files.database);
  if (isLeft) await stopProcess(left.pid, files.database);
  if (lockHolder(files.lock) === null) rmSync(files.record, { force: true });
  return keeper !== null || isLeft;
}

/** Resolves when the keeper has a server running or has ended; true where it failed. */
async function startKeeper(
  files: ServerFolder,
  temporal: string,
  { workingFolder, idleMs, webUi = false }: EmbeddedServerOptions,
): Promise<boolean> {
  const log = openSync(files.log, 'a');
  const env = Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const keep = fileURLToPath(new URL('keep.js', import.meta.url));
  const args = [keep, workingFolder, temporal, String(idleMs), ...(webUi ? ['web-ui'] : [])];
  const keeper = spawn(process.execPath, args, {
    cwd: workingFolder,
    detached: true,
    stdio: ['ignore', log, log],
    env,
  });
  closeSync(log);
  let code: number | null = null;
  keeper.on('exit', (status) => (code = status ?? 1));
  keeper.on('error', () => (code = 1));
  keeper.unref();
  const end = Date.now() + startWithinMs;
  while (code === null && findEmbeddedServer(workingFolder) === null && Date.now() < end) await wait(50);
  return code !== null && code !== 0;
}

function cantStart(files: ServerFolder, problem: string, said: string): TactusError {
  if (troubleOf(files, said) === 'disk_full') return diskFull(files);
  return new TactusError(
    'server_unreachable',
    `The embedded server ${problem}; ${files.log} has more:\n${tellingLines(said, shownLogLines)}`,
  );
}

function diskFull({ folder }: ServerFolder): TactusError {
  return new TactusError(
    'server_unreachable',
    `The disk is full: the embedded server can keep nothing more in ${folder}. Make room and go on; what was recorded is there`,
  );
}

/**
 * A server that can't keep anything answers nothing, for a long time: whoever is about to need it is told at once.
 * @throws TactusError server_unreachable
 */
export function assertRoom(workingFolder: string): void {
  const files = serverFolder(workingFolder);
  if (troubleOf(files, '') === 'disk_full') throw diskFull(files);
}

/**
 * What went wrong with a server that is embedded, in words: its own words, and those of whoever asked it, don't name it.
 * @returns null where the error has another cause
 */
export function embeddedTrouble(workingFolder: string, error: unknown): TactusError | null {
  const files = serverFolder(workingFolder);
  const isOurs = error instanceof TactusError && !unreached.includes(error.code);
  return isOurs || troubleOf(files, '') !== 'disk_full' ? null : diskFull(files);
}

/** What a command says that hears nothing of the server. */
const unreached: readonly string[] = ['server_unreachable', 'no_worker', 'run_stuck', 'internal'];

/** Too little for the database to grow by. */
const leastFreeBytes = 256_000;
const readBytes = 64_000;

/** Why the embedded server can't work, where it is one of the troubles that people can see to. */
type ServerTrouble = 'disk_full' | 'port_taken';

const marks: readonly (readonly [RegExp, ServerTrouble])[] = [
  [/database or disk is full|no space left on device|disk quota exceeded/i, 'disk_full'],
  [/address already in use/i, 'port_taken'],
];

/** How long the log is now: what is written later comes behind it. */
function logEnd({ log }: ServerFolder): number {
  try {
    return statSync(log).size;
  } catch {
    return 0;
  }
}

/** What the server wrote to its log from a place on, the newest of it. */
function logSince({ log }: ServerFolder, from: number): string {
  try {
    const file = openSync(log, 'r');
    try {
      const { size } = fstatSync(file);
      const start = Math.max(from > size ? 0 : from, size - readBytes);
      const bytes = Buffer.alloc(size - start);
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start)).toString();
    } finally {
      closeSync(file);
    }
  } catch {
    return ''; // nothing was written
  }
}

/** @param said what it wrote to its log; null where that tells of no such trouble */
export function troubleOf(files: ServerFolder, said: string): ServerTrouble | null {
  if (diskIsFull(files)) return 'disk_full';
  return marks.find(([mark]) => mark.test(said))?.[1] ?? null;
}

/** Of the folder, or of what it would be made in. */
function diskIsFull({ folder }: ServerFolder): boolean {
  for (const place of [folder, dirname(folder)])
    try {
      const { bavail, bsize } = statfsSync(place);
      return bavail * bsize < leastFreeBytes;
    } catch {
      continue; // it isn't there
    }
  return false;
}

/** The lines that tell something: without the stack of a program in Go. */
export function tellingLines(said: string, most: number): string {
  const lines = said.split('\n').map((line) => line.trimEnd());
  const panic = lines.findIndex((line) => /^(panic|fatal error):/.test(line));
  const own = lines.filter((line) => line.startsWith('tactus-temporal:'));
  const shown = panic < 0 ? lines.filter((line) => line !== '').slice(-most) : [lines[panic] ?? '', ...own];
  return shown.map((line) => line.slice(0, 300)).join('\n');
}
