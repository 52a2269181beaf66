import { readFile } from 'node:fs/promises';
import { TactusError } from '../contract/errors.js';

/** Why a file that was named can't be read, in words: it isn't there, is a folder, or may not be read. */
export async function unreadFile(file: string): Promise<TactusError> {
  const code = await readFile(file).then(
    () => '',
    (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error),
  );
  const reasons: Record<string, string> = {
    '': `There is no file ${file}`,
    ENOENT: `There is no file ${file}`,
    ENOTDIR: `There is no file ${file}`,
    EISDIR: `${file} is a folder: name a .tac file in it`,
    EACCES: `${file} may not be read by you (EACCES)`,
  };
  return new TactusError('source_not_found', reasons[code] ?? `${file} can't be read (${code})`, { file });
}
