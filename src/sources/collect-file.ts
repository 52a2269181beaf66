import { basename, dirname } from 'node:path';
import { TactusError } from '../contract/errors.js';
import type { ProcedureSource } from '../contract/source.js';
import { collectSource } from './collect-source.js';

/**
 * Reads a procedure by the path of its file, which errors name as it was given.
 * @throws TactusError source_not_found, source_invalid
 */
export async function collectFile(file: string): Promise<ProcedureSource> {
  return collectSource(dirname(file), basename(file)).catch((error: unknown) => {
    if (error instanceof TactusError && error.code === 'source_not_found')
      throw new TactusError('source_not_found', `There is no file ${file}`, { file });
    throw error;
  });
}
