import { basename, dirname, join } from 'node:path';
import { collectFile } from '../../sources/collect-file.js';
import { validateFile, type FileValidation } from '../../client/procedures/validate-file.js';
import { TactusError } from '../../contract/errors.js';
import { sortDiagnostics } from '../../validation/index.js';
import { checkSpecifications } from './check-specifications.js';
import { describeTests } from './describe-tests.js';
import { specifiedTexts } from './specified-texts.js';

/**
 * Validates a procedure with all that it requires, and its Specifications. Files are named as the given one is.
 * @throws TactusError source_not_found where there is no such file
 */
export async function validateWithTests(
  file: string,
  options: { strict?: boolean | null } = {},
): Promise<FileValidation> {
  const validation = await validateFile(file, options);
  const specifications = await specificationsOf(file);
  if (specifications === null) return validation;
  const folder = dirname(file);
  const shown = (name: string): string =>
    name === basename(file) ? file : folder === '.' && !file.startsWith('./') ? name : join(folder, name);
  const found = specifications.diagnostics.map((each) => ({ ...each, file: shown(each.file) }));
  const texts = specifications.texts.map(([name, text]) => [shown(name), text] as const);
  return {
    ...validation,
    diagnostics: sortDiagnostics([...validation.diagnostics, ...found]),
    texts: new Map([...texts, ...validation.texts]),
  };
}

/** null where the file can't be loaded: what is wrong with it has been said. */
async function specificationsOf(
  file: string,
): Promise<{ diagnostics: ReturnType<typeof checkSpecifications>; texts: [string, string][] } | null> {
  try {
    const source = await collectFile(file);
    const declared = describeTests(source);
    const specified = await specifiedTexts(dirname(file), source, declared);
    return {
      diagnostics: checkSpecifications(source.entry, declared.steps, specified),
      texts: specified.flatMap(({ file: name, text }) =>
        text === null || name === source.entry ? [] : [[name, text] as [string, string]],
      ),
    };
  } catch (error) {
    if (error instanceof TactusError) return null;
    throw error;
  }
}
