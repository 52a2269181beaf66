import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { At } from './held-folder.js';
import { replaceFile } from './replace-file.js';

/** Appends that a file remembers: so many may have been performed and not been recorded when workers die. */
const remembered = 1_000;

/** What has been appended, the newest last: `from` is the file's size before. */
export interface Appended {
  key: string;
  from: number;
}

/**
 * What a file remembers of its appends, in a hidden file beside it, `.NAME.appends`: an attempt after one of which nobody
 * heard finds that it was there before.
 */
export async function readAppends(at: At, name: string): Promise<Appended[]> {
  try {
    const handle = await open(at(journalOf(name)), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return JSON.parse(await handle.readFile('utf8')) as Appended[];
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

export async function rememberAppends(at: At, name: string, appends: readonly Appended[]): Promise<void> {
  await replaceFile(at, journalOf(name), JSON.stringify(appends.slice(-remembered)));
}

/** Forgets all appends: the file begins anew, and what was appended before is no longer in it. */
export async function forgetAppends(at: At, name: string): Promise<void> {
  await rm(at(journalOf(name)), { force: true });
}

function journalOf(name: string): string {
  return `.${name}.appends`;
}
