import type { Diagnostic } from '../../validation/index.js';
import { validateWithTests } from '../../testing/specifications/validate-with-tests.js';
import { configure, type SettingFlags } from '../configure.js';
import type { Screen } from '../terminal/screen.js';

export interface ValidatedFiles {
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
