import { TactusError } from '../../contract/errors.js';
import { Fault } from '../retries/fault.js';
import { folderName } from '../files/folder-name.js';

/** SQLite's codes for a file that others have locked: another attempt may find it free. */
const busy = [5, 6];
/** For a damaged file, and for one that is no database. */
const broken = [11, 26];

/** What went wrong with an index, in words: the library's name no file. All else as it is. */
export function indexFault(error: unknown, name: string, folder: string): unknown {
  const { code, errcode, errstr } = error as { code?: string; errcode?: number; errstr?: string };
  const where = `${name} (folder of indexes: ${folderName(folder, '')})`;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new TactusError('retrieval_failed', `the index ${where} can't be written: ${code}`);
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return error;
  const primary = errcode & 0xff;
  const said = errstr ?? `SQLite's code ${errcode}`;
  if (busy.includes(primary)) return new Fault(`the index ${where} is in use: ${said}`, { retryable: true });
  if (broken.includes(primary))
    return new TactusError(
      'retrieval_failed',
      `the index ${where} is damaged (${said}): delete it, and it is made anew`,
    );
  return new Fault(`the index ${where} can't be used: ${said}`, { retryable: true });
}
