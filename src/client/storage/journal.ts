import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where lines are kept by which a record has grown: beside it, by a name that no record has. */
export function journalOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.journal`);
}

/**
 * The lines of a journal, where they are of this text: one that was left by a crash, or that somebody else's new record
 * has made worthless, is of another. A line that a crash has cut off was never told to be there.
 */
export function linesOf(journal: string | null, text: string): { lines: string[]; isTorn: boolean } {
  const [header, ...lines] = (journal ?? '').split('\n');
  const rest = lines.pop() ?? '';
  return header === headerOf(text) ? { lines, isTorn: rest !== '' } : { lines: [], isTorn: false };
}

/** Writes a line behind the others; the first makes a new journal, for the text that it grows from. */
export async function appendToJournal(path: string, line: string, firstOf: string | null): Promise<void> {
  const file = await open(path, firstOf === null ? 'a' : 'w');
  try {
    const { size: before } = await file.stat();
    try {
      await file.writeFile(`${firstOf === null ? '' : `${headerOf(firstOf)}\n`}${toAscii(line)}\n`);
      await file.datasync();
    } catch (error) {
      // A disk that is full takes a part of it: the lines before it stay whole without.
      await file.truncate(before).catch(() => undefined);
      throw error;
    }
  } finally {
    await file.close();
  }
}

function headerOf(text: string): string {
  return JSON.stringify({ grows: createHash('sha256').update(text).digest('hex') });
}

/** So that no character can be cut in two. */
function toAscii(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
