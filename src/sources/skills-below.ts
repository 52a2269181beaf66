import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSkillFile } from '../contract/procedures/source.js';

const deepest = 5;
const most = 100;

/** The files of skills at a place: itself, or those below it, by their paths from `root`; names that begin with a dot are left out. */
export async function skillsBelow(root: string, place: string): Promise<string[]> {
  const stats = await stat(join(root, place)).catch(() => null);
  if (stats === null) return [];
  if (stats.isFile()) return isSkillFile(place) ? [place] : [];
  return (await below(root, place, deepest)).sort().slice(0, most);
}

async function below(root: string, folder: string, levels: number): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter(({ name }) => !name.startsWith('.'))
      .map(async (entry) => {
        const path = `${folder}/${entry.name}`;
        if (entry.isFile()) return isSkillFile(path) ? [path] : [];
        return entry.isDirectory() && levels > 0 ? below(root, path, levels - 1) : [];
      }),
  );
  return found.flat();
}
