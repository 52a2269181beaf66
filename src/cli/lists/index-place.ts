import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { indexVariable } from '../../contract/environment.js';

/**
 * Where lists of runs are kept: as configuration says, else beside the embedded server; null elsewhere, and where a Node before
 * 22.13 has no SQLite: the runs are asked then.
 */
export function indexPlace(isEmbedded: boolean): string | null {
  const named = process.env[indexVariable] ?? '';
  if (named !== '') return named;
  return isEmbedded && isBuiltin('node:sqlite')
    ? join(process.cwd(), '.tactus-temporal', 'index.sqlite')
    : null;
}
