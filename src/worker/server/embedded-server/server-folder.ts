import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
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
