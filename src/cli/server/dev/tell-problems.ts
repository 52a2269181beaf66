import { existsSync } from 'node:fs';
import { diagnosticText, summaryText } from '../../procedures/diagnostic-text.js';
import type { Screen } from '../../terminal/screen.js';
import { toCommandError } from '../../terminal/to-command-error.js';
import { validateFiles } from '../../procedures/validate-files.js';

/** Says what is wrong with procedures, and nothing of those that are gone. */
export async function tellProblems(files: readonly string[], screen: Screen): Promise<void> {
  const there = files.filter((file) => existsSync(file));
  if (there.length === 0) return;
  try {
    const { isValid, diagnostics, texts } = await validateFiles(there, {}, screen);
    for (const each of diagnostics.filter(({ severity }) => severity !== 'info'))
      screen.warn(diagnosticText(each, texts.get(each.file), screen.paint));
    if (isValid) screen.note(summaryText(diagnostics, there));
    else screen.warn(summaryText(diagnostics, there));
  } catch (error) {
    // Of a file that was half written, or of its configuration: the next change mends it.
    screen.warn(`${screen.paint.red('error')} ${toCommandError(error).message}`);
  }
}
