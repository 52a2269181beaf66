import { Command } from 'commander';
import type { SettingFlags } from '../configure.js';
import { act } from '../context.js';
import { diagnosticText, summaryText } from './diagnostic-text.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { validateFiles } from './validate-files.js';

/** `validate FILE…`: what is wrong with procedures, and what they declare. Nothing is started. */
export function validateCommand(): Command {
  return new Command('validate')
    .description('check procedures without running them, and describe them')
    .argument('<file...>', 'procedures to check')
    .option('--strict, --strict-determinism', 'time and chance outside of a checkpoint are an error')
    .action(
      act(async ({ screen }, flags: SettingFlags, files: string[]) => {
        const { isValid: valid, diagnostics, texts, described } = await validateFiles(files, flags, screen);
        const describe = described[0]?.describe ?? null;
        const shown = diagnostics.filter(
          ({ severity }) => screen.options.quiet !== true || severity === 'error',
        );
        screen.answer({ valid, diagnostics, describe, files: described }, () =>
          [
            ...shown.map((each) => diagnosticText(each, texts.get(each.file), screen.paint)),
            ...(screen.options.quiet && valid ? [] : [summaryText(diagnostics, files)]),
          ].join('\n'),
        );
        return valid ? exitCodes.done : exitCodes.failed;
      }),
    );
}
