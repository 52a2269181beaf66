import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Where a command writes what it makes: `out`, or in it where it is a folder; left out: in the working folder. */
export async function writtenTo(out: string | undefined, name: string): Promise<string> {
  if (out === undefined) return resolve(name);
  const isFolder = await stat(out).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(resolve(out), name) : resolve(out);
}
