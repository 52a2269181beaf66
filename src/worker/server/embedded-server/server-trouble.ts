import { openSync, closeSync, fstatSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ServerFolder } from './server-folder.js';

/** Too little for the database to grow by. */
const leastFreeBytes = 256_000;
const readBytes = 64_000;

/** Why the embedded server can't work, where it is one of the troubles that people can see to. */
export type ServerTrouble = 'disk_full' | 'port_taken';

const marks: readonly (readonly [RegExp, ServerTrouble])[] = [
  [/database or disk is full|no space left on device|disk quota exceeded/i, 'disk_full'],
  [/address already in use/i, 'port_taken'],
];

/** How long the log is now: what is written later comes behind it. */
export function logEnd({ log }: ServerFolder): number {
  try {
    return statSync(log).size;
  } catch {
    return 0;
  }
}

/** What the server wrote to its log from a place on, the newest of it. */
export function logSince({ log }: ServerFolder, from: number): string {
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
