import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScenarioResult, TestResults } from '../../../src/testing/specifications/test-results.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

const specified = (steps: string): string => `Specification[[
Feature: Files
  Scenario: one
${steps}
    Then the procedure should complete successfully
  Scenario: another
${steps}
    Then the procedure should complete successfully
]]`;

/** Adds a line to a file, and says all that is there: what another run has left behind would be seen. */
const adds = `
Procedure {
  output = { names = field.array{}, list = field.string{} },
  function()
    File.append("list.txt", "mine\\n")
    require("tactus.io.csv").write("sums.csv", { { sum = 1 } })
    local child = Procedure.run("child.tac", {})
    return { names = File.list(), list = File.read("list.txt") .. child }
  end,
}
`;

let folder: CliFolder;
let temporary: string;

beforeAll(() => {
  temporary = temporaryFolder('test-files');
  folder = cliFolder({ TMPDIR: temporary });
  folder.write('child.tac', 'Procedure { function() return File.read("list.txt") .. "of a child" end }');
  folder.write('files/list.txt', 'the author’s\n');
  folder.write('files/sums.csv', 'sum\n7\n');
});
afterAll(() => folder?.close());

async function scenariosOf(...args: string[]): Promise<ScenarioResult[]> {
  const ended = await folder.runHere(['test', ...args, '--json']);
  const { files } = ended.json() as unknown as TestResults;
  expect(files[0]?.error ?? null, ended.stderr).toBeNull();
  return files.flatMap(({ scenarios }) => scenarios);
}

const messageOf = ({ steps }: ScenarioResult): string =>
  steps.map(({ message }) => message).find((message) => message !== '') ?? '';

function expectUntouched(): void {
  expect(readdirSync(join(folder.path, 'files')).sort()).toEqual(['list.txt', 'sums.csv']);
  expect(folder.read('files/list.txt')).toBe('the author’s\n');
  expect(folder.read('files/sums.csv')).toBe('sum\n7\n');
  expect(readdirSync(temporary).filter((name) => name.startsWith('tactus-test-'))).toEqual([]);
}

describe('files of scenarios', () => {
  it.each([['--parallel', '1'], ['--parallel', '4'], ['--twice'], ['--crash-everywhere']])(
    'each execution begins with none, shares none, and leaves none: %s %s',
    async (...flags) => {
      folder.write(
        'adds.tac',
        adds +
          specified(`
    When the procedure runs
    Then the output names should be ["list.txt", "sums.csv"]
    And the output list should be "mine\\nmine\\nof a child"`),
      );
      const scenarios = await scenariosOf('adds.tac', ...flags);
      expect(scenarios.map((each) => [each.name, each.status, messageOf(each)])).toEqual([
        ['one', 'passed', ''],
        ['another', 'passed', ''],
      ]);
      expectUntouched();
    },
  );

  it('begin with a copy of the fixtures, and with what steps say after that', async () => {
    folder.write('fixtures/list.txt', 'of the fixtures\n');
    folder.write('fixtures/deep/notes.txt', 'deep');
    folder.write('fixtures/.env', 'KEY=1');
    folder.write('fixtures/other.tac', 'Procedure {}');
    folder.write('secret.txt', 'secret');
    symlinkSync(join(folder.path, 'secret.txt'), join(folder.path, 'fixtures/out.txt'));
    folder.write('tactus.yml', 'fixtures_folder: fixtures\n');
    folder.write(
      'begins.tac',
      `
Procedure {
  output = { text = field.string{}, names = field.array{}, out = field.string{} },
  function()
    local _, out = pcall(File.read, "out.txt")
    local text = File.read("list.txt") .. File.read("deep/notes.txt") .. (File.exists("given/a.txt") and File.read("given/a.txt") or "")
    File.write("list.txt", "changed")
    File.delete("deep/notes.txt")
    return { text = text, names = File.list(), out = tostring(out) }
  end,
}
Specification[[
Feature: Files
  Scenario: fixtures
    When the procedure runs
    Then the output text should be "of the fixtures\\ndeep"
    And the output names should be ["deep/", "list.txt"]
    And the output out should contain "Path traversal"
  Scenario: a given file
    Given the file "given/a.txt" contains "\\nit's \\"given\\""
    And the file "list.txt" contains {"a": 1}
    When the procedure runs
    Then the output text should be '{"a": 1}deep\\nit\\'s "given"'
]]`,
    );
    try {
      for (const flags of [[], ['--twice'], ['--crash-everywhere']]) {
        const scenarios = await scenariosOf('begins.tac', ...flags);
        expect(scenarios.map((each) => [each.status, messageOf(each)])).toEqual([
          ['passed', ''],
          ['passed', ''],
        ]);
      }
      expect(folder.read('fixtures/list.txt')).toBe('of the fixtures\n');
      expect(folder.read('fixtures/deep/notes.txt')).toBe('deep');
      expectUntouched();
    } finally {
      folder.write('tactus.yml', '');
    }
  });

  it('that are missing are told with what to declare', async () => {
    folder.write(
      'reads.tac',
      `Procedure { function() return File.read("list.txt") end }\n${specified('    When the procedure runs')}`,
    );
    const [first] = await scenariosOf('reads.tac');
    expect(messageOf(first!)).toContain(
      'list.txt doesn\'t exist (folder of files: the scenario\'s own; it begins with a copy of the folder that fixtures_folder in tactus.yml names, and with what the step Given the file "…" contains "…" says; --files DIR uses a folder as it is)',
    );
  });

  it('beside the procedure are read by tactus.io, and never written', async () => {
    folder.write('sub/rows.csv', 'n\n1\n');
    folder.write(
      'sub/rows.tac',
      `
local csv = require("tactus.io.csv")
Procedure {
  output = { before = "number", after = "number" },
  function()
    local before = csv.read("rows.csv")[1].n
    csv.write("rows.csv", { { n = 2 } })
    return { before = tonumber(before), after = tonumber(csv.read("rows.csv")[1].n) }
  end,
}
${specified(`
    When the procedure runs
    Then the output before should be 1
    And the output after should be 2`)}`,
    );
    const scenarios = await scenariosOf('sub/rows.tac');
    expect(scenarios.map((each) => [each.status, messageOf(each)])).toEqual([
      ['passed', ''],
      ['passed', ''],
    ]);
    expect(folder.read('sub/rows.csv')).toBe('n\n1\n');
    expect(readdirSync(join(folder.path, 'sub')).sort()).toEqual(['rows.csv', 'rows.tac']);
    expectUntouched();
  });

  it('are the ones of --files DIR where that is asked for', async () => {
    mkdirSync(join(folder.path, 'scratch'), { recursive: true });
    folder.write('adds.tac', adds + specified('    When the procedure runs'));
    await scenariosOf('adds.tac', '--files', 'scratch', '--parallel', '1');
    expect(folder.read('scratch/list.txt')).toBe('mine\nmine\n');
    folder.write(
      'given.tac',
      `Procedure { function() end }\n${specified('    Given the file "a" contains b')}`,
    );
    const [given] = await scenariosOf('given.tac', '--files', 'scratch');
    expect(messageOf(given!)).toContain('leave --files (or filesRoot) out');
    // A variable or a setting says where runs have their files, and not tests.
    const ended = await folder.runHere(['test', 'adds.tac'], { env: { TACTUS_TEMPORAL_FILES: 'files' } });
    expect(ended.stdout, ended.stderr).toBe('2 passed, 0 failed\n');
    expectUntouched();
  });

  it('are kept with --keep-files, and found by what is said', async () => {
    folder.write(
      'adds.tac',
      adds + specified('    When the procedure runs\n    Then the output list should be "nothing"'),
    );
    const [scenario] = await scenariosOf('adds.tac', '--keep-files', '--scenario', 'one');
    const kept = scenario?.files_folder ?? '';
    expect(readdirSync(kept)).toEqual(expect.arrayContaining(['list.txt', 'sums.csv']));
    const told = await folder.runHere(['test', 'adds.tac', '--keep-files', '--scenario', 'one']);
    const place = /^ {4}files: (.*)$/m.exec(told.stderr)?.[1] ?? '';
    expect(existsSync(join(place, 'list.txt')), told.stderr).toBe(true);
    for (const each of [kept, place]) rmSync(dirname(each), { recursive: true });
    const both = await folder.runHere(['test', 'adds.tac', '--keep-files', '--files', 'scratch']);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('all files are in DIR')]);
  });

  it.each([
    ['Given the file "../up.txt" contains x', 'Path traversal'],
    ['Given the file ".env" contains x', 'a name in it begins with a dot'],
    ['Given the file "a" contains x\n    And the file "a/b" contains x', 'a/b leads through'],
    ['When the procedure runs\n    Then the file "a" contains x', 'comes before it runs'],
  ])('a step that can’t be is the fault of that step: %s', async (steps, message) => {
    folder.write('wrong.tac', `Procedure { function() end }\n${specified(`    ${steps}`)}`);
    const [scenario] = await scenariosOf('wrong.tac');
    expect([scenario?.status, messageOf(scenario!)]).toEqual(['failed', expect.stringContaining(message)]);
  });

  it('fixtures that are none are told, and a procedure has none from elsewhere', async () => {
    folder.write(
      'sub/adds.tac',
      adds.replace('child.tac', '../child.tac') + specified('    When the procedure runs'),
    );
    folder.write('sub/adds.tac.yml', 'fixtures_folder: nowhere\n');
    const missing = await folder.runHere(['test', 'sub/adds.tac']);
    expect(missing.stderr).toContain('sub/adds.tac.yml: fixtures_folder: there is no folder sub/nowhere');
    folder.write('sub/adds.tac.yml', 'fixtures_folder: ../fixtures\n');
    const outside = await folder.runHere(['test', 'sub/adds.tac']);
    expect(outside.stderr).toContain('sub/adds.tac.yml: fixtures_folder must name a folder below sub');
  });

  it('of the cases of an Evaluation are their own too', async () => {
    const evaluation = `Evaluation {
  dataset = { { name = "a", inputs = {} }, { name = "b", inputs = {} } },
  evaluators = { field.exact_match{ field = "list", value = "mine\\nmine\\nof a child" } },
  runs = 2,
}`;
    folder.write('evaluated.tac', `${adds}${evaluation}`);
    const ended = await folder.runHere(['evaluate', 'evaluated.tac', '--json']);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expectUntouched();
  });

  it('are removed where the command is interrupted', async () => {
    folder.write(
      'waits.tac',
      `Procedure { function() File.write("begun.txt", "x") while true do end end }\n${specified('    When the procedure runs')}`,
    );
    const made = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('tactus-test-'));
    const before = made();
    const command = folder.start(['test', 'waits.tac', '--timeout', '60s']);
    const ended = new Promise((resolve) => command.once('exit', resolve));
    await waitUntil(() => Promise.resolve(made().length > before.length));
    command.kill('SIGTERM');
    expect(await ended).toBe(130);
    expect(made()).toEqual(before);
  });
});
