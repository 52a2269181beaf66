import { basename, dirname } from 'node:path';
import { TactusError } from '../contract/errors.js';
import type { ProcedureSource } from '../contract/procedures/source.js';
import { collectSource } from './collect-source.js';
import { unreadFile } from './unread-file.js';

/**
 * Reads a procedure by the path of its file, which errors name as it was given.
 * @throws TactusError source_not_found, source_invalid
 */
export async function collectFile(file: string): Promise<ProcedureSource> {
  return collectSource(dirname(file), basename(file)).catch(async (error: unknown) => {
    if (error instanceof TactusError && error.code === 'source_not_found') throw await unreadFile(file);
    throw error;
  });
}
