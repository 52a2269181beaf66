import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getOwn } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { DeclaredTests } from '../../lua-bridge/index.js';

/** The Gherkin of one `Specification`, and where it stands. */
export interface SpecifiedText {
  /** null: the file that it should be in isn't there. */
  text: string | null;
  /** The file that holds the text: the procedure's, or the one that it is taken from. */
  file: string;
  /** Line of the text's first line; null where it is put together, and so stands nowhere as it is. */
  firstLine: number | null;
  /** Line of the call in the procedure's file. */
  callLine: number;
}

/** All that a procedure specifies, with what stands in feature files of its folder. */
export async function specifiedTexts(
  folder: string,
  source: ProcedureSource,
  declared: DeclaredTests,
): Promise<SpecifiedText[]> {
  return Promise.all(
    declared.specifications.map(async ({ text, from, line }) => {
      const callLine = line ?? 1;
      if (text !== null) return { text, file: source.entry, firstLine: firstLineOf(source, text), callLine };
      const file = from ?? '';
      const found = await readFile(join(folder, file), 'utf8').catch(() => null);
      return { text: found, file, firstLine: 1, callLine };
    }),
  );
}

/** Where a long string begins: the call that it stands in may begin a line before. */
function firstLineOf({ entry, files }: ProcedureSource, text: string): number | null {
  const before = text.trim() === '' ? undefined : getOwn(files, entry)?.split(text, 1)[0];
  return before === undefined || before === getOwn(files, entry) ? null : before.split('\n').length;
}
