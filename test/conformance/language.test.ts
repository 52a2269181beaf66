import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { caseFolder, type CaseFolder } from './case-folder.js';
import { differences } from './differences.js';
import { expectExcludedOnly, tellExclusions } from './exclusions.js';
import { languageCases, type RecordedRun } from './recorded-case.js';

// Each is a process of its own, which loads for half a second.
vi.setConfig({ maxConcurrency: 3 });

const cases = await languageCases();
const runs = cases.flatMap(({ name, runs: recorded }) =>
  recorded.map((run, i) => ({ name, i, recorded: run })),
);

let folder: CaseFolder;

beforeAll(async () => {
  folder = await caseFolder();
  await folder.work();
});
afterAll(() => folder?.close());

it('lists what differs', () => tellExclusions('q', runs));

describe.concurrent('the language behaves as the reference recorded it', () => {
  it.each(runs)('$name #$i', async ({ name, i, recorded }) => {
    const file = recorded.strict ? strictly(`${name}.tac`) : `${name}.tac`;
    const view = await folder.follow(['run', file, ...flags(recorded)]);
    expectExcludedOnly({ name, i }, differences(recorded, view, await folder.logOf(view)), view.error);
  });
});

function flags({ input, hitl_answers: answers }: RecordedRun): string[] {
  const given = Array.isArray(answers) ? answers : [];
  return ['--input', JSON.stringify(input), ...given.flatMap((each) => ['--respond', JSON.stringify(each)])];
}

/** The case with the configuration beside it that turns strict determinism on. */
function strictly(file: string): string {
  folder.write(`strict/${file}`, folder.read(file));
  folder.write(`strict/${file}.yml`, 'strict_determinism: true\n');
  return `strict/${file}`;
}
