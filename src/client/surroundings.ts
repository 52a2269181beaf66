import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ProcedureSource } from '../contract/source.js';
import type { Surroundings } from '../validation/index.js';
import { referencedFiles } from './referenced-files.js';

/** Folders above that of a procedure in which a worker may stand. */
const foldersAbove = 5;

/** What lies around the files that a source names: those of nearly the same name, and those that a worker may see. */
export async function surroundingsOf(folder: string, source: ProcedureSource): Promise<Surroundings> {
  const home = source.entry.slice(0, source.entry.lastIndexOf('/') + 1);
  const references = Object.values(source.files).map((text) => referencedFiles(text, home));
  const candidates = references.flatMap(({ modules, procedures }) => [...modules, ...procedures].flat());
  const folders = new Set([home, ...candidates.map((name) => name.slice(0, name.lastIndexOf('/') + 1))]);
  const nearby = await Promise.all([...folders].map((name) => filesIn(folder, name)));
  const procedures = references.flatMap((each) => each.procedures.flatMap(([name = '']) => name));
  const elsewhere = await Promise.all(
    [...new Set(procedures)].map(async (name) => ((await isAbove(folder, name)) ? [name, `./${name}`] : [])),
  );
  return { nearby: [...new Set(nearby.flat())], elsewhere: elsewhere.flat() };
}

async function filesIn(folder: string, name: string): Promise<string[]> {
  const entries = await readdir(join(folder, name), { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => name + entry.name);
}

/** Whether the file is found from the working folder, or from a folder above the procedure's. */
async function isAbove(folder: string, name: string): Promise<boolean> {
  const starts = [process.cwd()];
  for (let up = resolve(folder), i = 0; i < foldersAbove && dirname(up) !== up; i++)
    starts.push((up = dirname(up)));
  for (const start of starts)
    for (const path of [name, `${name}.tac`])
      if ((await stat(join(start, path)).catch(() => null))?.isFile() === true) return true;
  return false;
}
