import { readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import { unreadFile } from '../../sources/unread-file.js';
import { validateSource, type Diagnostic, type Validation } from '../../validation/index.js';
import { collectSource } from '../../sources/collect-source.js';
import { shownName } from './shown-name.js';
import { surroundingsOf } from './surroundings.js';

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
    if (!(error instanceof TactusError) || error.code !== 'source_invalid') throw error;
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
