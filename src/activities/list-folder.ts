import { readdir } from 'node:fs/promises';
import { assertResultFits } from './assert-result-fits.js';
import { refusedName } from './refused-name.js';

/**
 * The names of what procedures may use in a folder, in the order of their characters; those of folders end with `/`. Links
 * are left out: what they lead to may be elsewhere.
 */
export async function listFolder(place: string, path: string): Promise<string[]> {
  const entries = await readdir(place, { withFileTypes: true });
  const names = entries.flatMap((entry) => {
    if (refusedName(entry.name) !== null) return [];
    if (entry.isDirectory()) return [`${entry.name}/`];
    return entry.isFile() ? [entry.name] : [];
  });
  names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return assertResultFits(names, `The list of ${path}`);
}
