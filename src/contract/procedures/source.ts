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
