import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assertResultFits } from '../predictions/assert-result-fits.js';
import { KeptPaths } from './kept-paths.js';
import { refusedName } from './refused-name.js';

/**
 * The names of what procedures may use in a folder, in the order of their characters; those of folders end with `/`. Links
 * are left out: what they lead to may be elsewhere.
 */
export async function listFolder(
  place: string,
  { path, realPath, root, kept }: { path: string; realPath: string; root: string; kept: readonly string[] },
): Promise<string[]> {
  const entries = await readdir(place, { withFileTypes: true });
  const keptPaths = await KeptPaths.of(kept);
  const names: string[] = [];
  for (const entry of entries) {
    if (refusedName(entry.name) !== null) continue;
    if (kept.length > 0 && (await keptPaths.has(join(realPath, entry.name), root))) continue;
    if (entry.isDirectory()) names.push(`${entry.name}/`);
    else if (entry.isFile()) names.push(entry.name);
  }
  names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return assertResultFits(names, `The list of ${path}`);
}
