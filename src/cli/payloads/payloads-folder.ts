import { join } from 'node:path';
import type { CommonOptions } from '../context.js';
import { connectionTarget } from '../connection-target.js';

/** Where payloads are kept that the server refuses for their size; null where nobody has named a folder for a server elsewhere. */
export function payloadsFolder(options: CommonOptions): string | null {
  const named = process.env['TACTUS_TEMPORAL_PAYLOADS'] ?? '';
  if (named !== '') return named;
  const isEmbedded = connectionTarget(options).connection === null;
  return isEmbedded ? join(process.cwd(), '.tactus-temporal', 'payloads') : null;
}
