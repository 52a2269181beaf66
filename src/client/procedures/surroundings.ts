import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { Surroundings } from '../../validation/index.js';
import { referencedFiles } from '../../sources/referenced-files.js';

/** What lies around the files that a source names: those of nearly the same name. */
export async function surroundingsOf(folder: string, source: ProcedureSource): Promise<Surroundings> {
  const home = source.entry.slice(0, source.entry.lastIndexOf('/') + 1);
  const references = Object.values(source.files).map((text) => referencedFiles(text, home));
  const candidates = references.flatMap(({ modules, procedures }) => [...modules, ...procedures].flat());
  const folders = new Set([home, ...candidates.map((name) => name.slice(0, name.lastIndexOf('/') + 1))]);
  const nearby = await Promise.all([...folders].map((name) => filesIn(folder, name)));
  return { nearby: [...new Set(nearby.flat())] };
}

async function filesIn(folder: string, name: string): Promise<string[]> {
  const entries = await readdir(join(folder, name), { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => name + entry.name);
}
