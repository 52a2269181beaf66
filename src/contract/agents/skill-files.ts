import type { ProcedureSource } from '../procedures/source.js';

/** What a skill's file is called, in whatever letters. */
export function isSkillFile(path: string): boolean {
  return /(^|\/)skill\.md$/i.test(path);
}

/** The files of skills that a place, a folder or such a file, stands for: as seen from the procedure, else from the source's root. */
export function skillFiles({ entry, files }: ProcedureSource, place: string): string[] {
  const path = place.replace(/^\.\//, '').replace(/\/+$/, '');
  const home = entry.slice(0, entry.lastIndexOf('/') + 1);
  const below = (root: string): string[] =>
    Object.keys(files)
      .filter((file) => isSkillFile(file) && (file === root || file.startsWith(`${root}/`)))
      .sort();
  const beside = below(home + path);
  return beside.length > 0 ? beside : below(path);
}
