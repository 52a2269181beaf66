import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { temporaryFolder } from './temporary-folder.js';

export interface SmallDisk {
  path: string;
  /** Fills what is left, to the last block. */
  fill(): void;
  /** Makes room again. */
  clear(): void;
}

/** A disk of its own, gone when the tests of the file have ended; null: only root may have one, and not everywhere. */
export function smallDisk(size: string): SmallDisk | null {
  const path = temporaryFolder('disk');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    console.warn('SKIPPED: no small disk can be made here.');
    return null;
  }
  afterAll(() => execFileSync('umount', ['-l', path]));
  const filler = join(path, '.fill');
  return {
    path,
    fill: () => {
      for (let bytes = 1 << 22; bytes >= 1; bytes >>= 1)
        try {
          appendFileSync(filler, Buffer.alloc(bytes));
        } catch {
          // What is left takes less.
        }
    },
    clear: () => rmSync(filler, { force: true }),
  };
}
