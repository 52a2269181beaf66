import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isRunning } from '../../../client/runs/is-running.js';

/** How the keeper's command line is known. */
export const keeperMark = 'embedded-server/keep.';

/** A lock whose holder hasn't written its id yet is young; a holder that died in between leaves an old one. */
const halfWrittenMs = 2_000;
const takeoverMs = 10_000;

/** Process id of the keeper that holds the lock; null where nobody alive does. */
export function lockHolder(lock: string): number | null {
  const pid = readPid(lock);
  return pid !== null && isRunning(pid, keeperMark) ? pid : null;
}

export function holdsLock(lock: string): boolean {
  return readPid(lock) === process.pid;
}

/** Takes the lock for this process, from a dead holder too. False where another one has it, or is taking it. */
export function takeLock(lock: string): boolean {
  if (create(lock)) return true;
  if (lockHolder(lock) !== null || isYoungerThan(lock, halfWrittenMs, readPid(lock) === null)) return false;
  // Who finds a dead holder's lock may remove it only alone: else two could remove each other's.
  const takeover = `${lock}.takeover`;
  if (isYoungerThan(takeover, takeoverMs, true)) return false;
  rmSync(takeover, { force: true });
  if (!create(takeover)) return false;
  try {
    if (lockHolder(lock) !== null) return false;
    rmSync(lock, { force: true });
    return create(lock);
  } finally {
    rmSync(takeover, { force: true });
  }
}

export function releaseLock(lock: string): void {
  if (holdsLock(lock)) rmSync(lock, { force: true });
}

function create(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readPid(lock: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10);
    return Number.isInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}

function isYoungerThan(file: string, ms: number, matters: boolean): boolean {
  if (!matters) return false;
  try {
    return Date.now() - statSync(file).mtimeMs < ms;
  } catch {
    return false;
  }
}
