import { join } from 'node:path';
import { indexVariable } from '../contract/environment.js';

/** Where lists of runs are kept: as configuration says, else beside the embedded server; null elsewhere. */
export function indexPlace(isEmbedded: boolean): string | null {
  const named = process.env[indexVariable] ?? '';
  if (named !== '') return named;
  return isEmbedded ? join(process.cwd(), '.tactus-temporal', 'index.sqlite') : null;
}
