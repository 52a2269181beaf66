import { Command } from 'commander';
import { validateWithTests } from '../../testing/specifications/validate-with-tests.js';
import type { Diagnostic } from '../../validation/index.js';
import { act, exitCodes, type Screen } from '../command.js';
import { configure, type SettingFlags } from '../configure.js';
import { diagnosticText, summaryText } from './diagnostic-text.js';

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

interface ValidatedFiles {
  isValid: boolean;
  /** What was found, once. */
  diagnostics: Diagnostic[];
  /** The text of each file that a diagnostic may name. */
  texts: ReadonlyMap<string, string>;
  described: {
    file: string;
    describe: Awaited<ReturnType<typeof validateWithTests>>['describe'];
  }[];
}

/** What is wrong with procedures, by the configuration of each. @throws TactusError config_invalid */
export async function validateFiles(
  files: readonly string[],
  flags: SettingFlags,
  screen: Screen,
): Promise<ValidatedFiles> {
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
  return {
    isValid: diagnostics.every(({ severity }) => severity !== 'error'),
    diagnostics,
    texts: new Map(results.flatMap((each) => [...each.texts])),
    described: results.map(({ file, describe }) => ({ file, describe })),
  };
}
