import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TactusError } from '../contract/errors.js';

/** Names come from whoever can start a run: nothing that could lead out of the folders. */
const namePattern = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/**
 * The file of a procedure, `review` or `review.tac`, in the first of the folders that has it; null where none has.
 * @throws TactusError source_not_found where no file could have such a name
 */
export async function findProcedure(folders: readonly string[], procedure: string): Promise<string | null> {
  const name = procedure.replace(/\.tac$/, '');
  if (!namePattern.test(name))
    throw new TactusError('source_not_found', `${JSON.stringify(procedure)} is no name of a procedure`, {
      procedure,
    });
  for (const folder of folders) {
    const file = join(folder, `${name}.tac`);
    const stats = await stat(file).catch(() => null);
    if (stats?.isFile() === true) return file;
  }
  return null;
}
