import { cpSync, existsSync, globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResults } from '../../src/testing/specifications/test-results.js';
import { cliFolder, type CliFolder } from '../support/cli-folder.js';
import { exceptions } from './exceptions.js';

/** `PUBLISHED_EXAMPLES=../Tactus-examples`: a folder of examples that the reference was published with. */
const given = process.env['PUBLISHED_EXAMPLES'];
if (given === undefined)
  console.warn('SKIPPED: PUBLISHED_EXAMPLES names no folder of published examples to run.');

const names = given === undefined ? [] : globSync('**/*.tac', { cwd: given }).sort();

describe.skipIf(given === undefined)('published examples', () => {
  let folder: CliFolder;
  beforeAll(() => {
    expect(existsSync(given ?? ''), `there is no folder ${given}`).toBe(true);
    expect(names, `there is no .tac file in ${given}`).not.toEqual([]);
    folder = cliFolder();
    // What they write stays out of the folder that was named.
    cpSync(resolve(given ?? ''), join(folder.path, 'examples'), { recursive: true });
  });
  afterAll(() => folder.close());

  it.each(names)('%s', async (name) => {
    const exception = exceptions[name];
    const file = `examples/${name.replaceAll('\\', '/')}`;
    const validated = await folder.run(['validate', file, '--json']);
    const { diagnostics, describe: described } = validated.json() as unknown as {
      diagnostics: { line: number; severity: string; code: string }[];
      describe: { specifications: unknown[] };
    };
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ line, code }) => `${line} ${code}`)).toEqual(exception?.errors ?? []);
    if (described.specifications.length === 0) return;

    const tested = await folder.run(['test', file, '--mock', '--json']);
    const { files } = tested.json() as unknown as TestResults;
    const scenarios = files.flatMap((each) => each.scenarios);
    expect(scenarios).not.toEqual([]);
    const expected = exception?.scenarios ?? 'passed';
    expect(
      scenarios.filter(({ status }) => status !== expected).map((each) => `${each.name} ${each.status}`),
      tested.stderr,
    ).toEqual([]);
  });
});
