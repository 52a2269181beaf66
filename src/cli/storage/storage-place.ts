import { join } from 'node:path';
import { storageVariable } from '../../contract/environment.js';

/** Where runs are mirrored for the Tactus API: as configuration says, else in files beside the embedded server; null elsewhere. */
export function storagePlace(isEmbedded: boolean): string | null {
  const named = process.env[storageVariable] ?? '';
  if (named !== '') return named;
  return isEmbedded ? `file:${join(process.cwd(), '.tactus-temporal', 'mirror')}` : null;
}
