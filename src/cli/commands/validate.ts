import { Command } from 'commander';
import { validateWithTests } from '../../testing/validate-with-tests.js';
import { configure, type SettingFlags } from '../configure.js';
import { act } from '../context.js';
import { diagnosticText, summaryText } from '../diagnostic-text.js';
import { exitCodes } from '../exit-codes.js';

/** `validate FILE…`: what is wrong with procedures, and what they declare. Nothing is started. */
export function validateCommand(): Command {
  return new Command('validate')
    .description('check procedures without running them, and describe them')
    .argument('<file...>', 'procedures to check')
    .option('--strict, --strict-determinism', 'time and chance outside of a checkpoint are an error')
    .action(
      act(async ({ screen }, flags: SettingFlags, files: string[]) => {
        const results = await Promise.all(
          files.map(async (file) => {
            const { settings } = await configure(file, flags, screen);
            const { strictDeterminism: strict = null } = settings;
            return { file, ...(await validateWithTests(file, { strict })) };
          }),
        );
        const seen = new Set<string>();
        // A module that several procedures require is checked with each of them.
        const diagnostics = results
          .flatMap((each) => each.diagnostics)
          .filter((each) => !seen.has(JSON.stringify(each)) && seen.add(JSON.stringify(each)));
        const valid = diagnostics.every(({ severity }) => severity !== 'error');
        const texts = new Map(results.flatMap((each) => [...each.texts]));
        const describe = results[0]?.describe ?? null;
        const described = results.map((each) => ({ file: each.file, describe: each.describe }));
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
