import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where the embedded server of one working folder keeps everything. */
export interface ServerFolder {
  /** `.tactus-temporal` of the working folder. */
  folder: string;
  /** What runs, as JSON; there only while the server can be used. */
  record: string;
  /** Held by the keeper for as long as it lives. */
  lock: string;
  log: string;
  database: string;
  /** Touched by every command; its age is how long the server has been idle. */
  used: string;
}

/** Names of the files; nothing is made. */
export function serverFolder(workingFolder: string): ServerFolder {
  const folder = join(resolve(workingFolder), '.tactus-temporal');
  return {
    folder,
    record: join(folder, 'server.json'),
    lock: join(folder, 'server.lock'),
    log: join(folder, 'server.log'),
    database: join(folder, 'temporal.sqlite'),
    used: join(folder, 'used'),
  };
}

/** Makes the folder. It ignores itself: histories hold what people and models wrote, and belong in no repository. */
export function makeServerFolder({ folder }: ServerFolder): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
}

/** A server that answers: the content of server.json. */
export interface ServerRecord {
  /** The server's own process. */
  pid: number;
  /** The process that started it, and stops it when it is idle. */
  keeper_pid: number;
  port: number;
  /** Where the door to the Web UI is; null where the system can't hide the Web UI behind it, and nobody has asked for it. */
  ui_port: number | null;
  address: string;
  /** Address of the Web UI, or null as `ui_port`. */
  ui: string | null;
  /** Whether pages of the web are kept out. Servers of 0.8.0 and before let them in, and don't say so. */
  pages_kept_out: true;
  started_at: string;
}

/** Null where there is none, or none that can be read. */
export function readServerRecord(file: string): ServerRecord | null {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<ServerRecord>;
    return typeof record.pid === 'number' && typeof record.port === 'number'
      ? (record as ServerRecord)
      : null;
  } catch {
    return null;
  }
}

/** Moved into place: a command may be reading it. */
export function writeServerRecord(file: string, record: ServerRecord): void {
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.${process.pid}`, file);
}
