import { readFile } from 'node:fs/promises';
import { TactusError } from '../../contract/errors.js';

/** A file's text; null where there is no such file. Bytes that aren't UTF-8 are an error, not replaced. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (isMissing(error)) return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('file_failed', `${path} can't be read: ${reason}`, { place: path });
  }
}

/** Whether an error says that a file or folder doesn't exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
