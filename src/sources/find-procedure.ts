import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Names come from whoever can start a run: nothing that could lead out of the folders. */
const namePattern = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** The file of a procedure, `review` or `review.tac`, in the first of the folders that has it; null where none has. */
export async function findProcedure(folders: readonly string[], procedure: string): Promise<string | null> {
  const name = procedure.replace(/\.tac$/, '');
  if (!namePattern.test(name)) return null;
  for (const folder of folders) {
    const file = join(folder, `${name}.tac`);
    const stats = await stat(file).catch(() => null);
    if (stats?.isFile() === true) return file;
  }
  return null;
}
