import { defined } from '../json/json.js';
import { digestOf } from '../effects/digest.js';

/** A procedure's source: the entry file and all that it requires or runs, by file name (`/` as separator). */
export interface ProcedureSource {
  entry: string;
  files: Record<string, string>;
}

/** Identifies a source by content. */
export function sourceHash(source: ProcedureSource): string {
  return digestOf({ entry: source.entry, files: source.files });
}

/** `review-triage` for `examples/review-triage.tac`: how people call the procedure. */
export function procedureName(source: ProcedureSource): string {
  const file = source.entry.slice(source.entry.lastIndexOf('/') + 1);
  return file.replace(/\.(tac|tactus\.lua|lua)$/, '');
}

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

/** A run's memo: what lists of workflows show without asking a worker. */
export type Memo = Record<string, string>;

/** @param startedBy who started it, where that is known */
export function memoOf(source: ProcedureSource, task: string | undefined, startedBy?: string): Memo {
  return {
    procedure: procedureName(source),
    source: `sha256:${sourceHash(source)}`,
    ...defined({ task, started_by: startedBy }),
  };
}
