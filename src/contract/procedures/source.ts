import { defined, getOwn, isObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { PublishedAs } from './published.js';
import { digestOf } from '../effects/digest.js';

/** A procedure's source: the entry file and all that it requires or runs, by file name (`/` as separator). */
export interface ProcedureSource {
  entry: string;
  files: Record<string, string>;
}

/** A version of a published procedure, with its source. */
export interface FoundVersion {
  source: ProcedureSource;
  as: PublishedAs;
}

/** Whether what somebody gave is one. */
export function isSource(given: unknown): given is ProcedureSource {
  const source = given as JsonValue | undefined;
  if (!isObject(source) || typeof source['entry'] !== 'string' || !isObject(source['files'])) return false;
  const files: JsonObject = source['files'];
  return (
    Object.values(files).every((text) => typeof text === 'string') &&
    getOwn(files, source['entry']) !== undefined
  );
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
export type Memo = Record<string, JsonValue>;

export interface MemoParts {
  task?: string | undefined;
  /** Who started it, where that is known. */
  startedBy?: string | undefined;
  /** The version that it begins with, where its source is published. */
  published?: PublishedAs | undefined;
  /** Id of the run that has started it, where the server knows of none: it goes on with that one. */
  parent?: string | undefined;
}

export function memoOf(
  source: ProcedureSource,
  { task, startedBy, published, parent }: MemoParts = {},
): Memo {
  return {
    procedure: published?.name ?? procedureName(source),
    source: `sha256:${sourceHash(source)}`,
    ...defined({ task, started_by: startedBy, published: published && { ...published }, parent }),
  };
}

/** What a run's procedure is called: as it is published, else as its file is. */
export function nameOfStart({
  source,
  procedure = '',
  published,
}: {
  source?: ProcedureSource;
  procedure?: string;
  published?: PublishedAs;
}): string {
  return published?.name ?? (source === undefined ? procedure : procedureName(source));
}
