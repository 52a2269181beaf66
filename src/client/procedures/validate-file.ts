import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode, type TactusError } from '../../contract/errors.js';
import {
  validateSource,
  type Diagnostic,
  type Surroundings,
  type Validation,
} from '../../validation/index.js';
import { collectSource, unreadFile } from '../../sources/collect-source.js';
import { referencedFiles } from '../../sources/referenced-files.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';

export interface FileValidation {
  diagnostics: Diagnostic[];
  /** null where the file can't be read as text. */
  describe: Validation['describe'] | null;
  /** The sources of all files that have diagnostics, by the names that these have. */
  texts: ReadonlyMap<string, string>;
}

/**
 * Validates a procedure with all that it requires. Files are named as the given one is.
 * @throws TactusError source_not_found where there is no such file
 */
export async function validateFile(
  file: string,
  options: { strict?: boolean | null } = {},
): Promise<FileValidation> {
  const folder = dirname(file);
  const shown = shownName(file);
  if ((await stat(file).catch(() => null))?.isFile() !== true) throw await unreadFile(file);
  try {
    const source = await collectSource(folder, basename(file));
    const surroundings = await surroundingsOf(folder, source);
    const { diagnostics, describe } = validateSource(source, { ...options, surroundings });
    return {
      diagnostics: diagnostics.map((each) => ({ ...each, file: shown(each.file) })),
      describe,
      texts: new Map(Object.entries(source.files).map(([name, text]) => [shown(name), text])),
    };
  } catch (error) {
    if (!hasCode(error, 'source_invalid')) throw error;
    const name = error.toRunError().file ?? basename(file);
    return { diagnostics: [await unreadable(shown(name), error)], describe: null, texts: new Map() };
  }
}

/** Why a file is no text: it is too large, or not in UTF-8. */
async function unreadable(file: string, error: TactusError): Promise<Diagnostic> {
  const bytes = await readFile(file).catch(() => null);
  const at = bytes === null ? null : firstInvalid(bytes);
  return {
    file,
    ...(at ?? { line: 1, column: 1 }),
    severity: 'error',
    code: at === null ? 'too_large' : 'invalid_utf8',
    message: error.message,
    suggestion: at === null ? 'move parts of it into modules' : 'save it as UTF-8',
  };
}

/** Where the first byte stands that is no UTF-8; null where all are. */
function firstInvalid(bytes: Buffer): { line: number; column: number } | null {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = 0;
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const row = bytes.subarray(start, end < 0 ? bytes.length : end + 1);
    try {
      decoder.decode(row);
    } catch {
      return { line, column: row.toString('utf8').indexOf('\ufffd') + 1 };
    }
    start += row.length;
  }
  return null;
}

/** What lies around the files that a source names: those of nearly the same name. */
async function surroundingsOf(folder: string, source: ProcedureSource): Promise<Surroundings> {
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

/** Names files of a procedure, which are relative to its folder, in the way that the procedure's own was given. */
export function shownName(file: string): (name: string) => string {
  const folder = dirname(file);
  return (name) => (folder === '.' && !file.startsWith('./') ? name : join(folder, name));
}
