import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

const root = resolve(import.meta.dirname, '../../..');

const mixed = `
writer = Agent { model = "openai/gpt-5-mini", system_prompt = "Write" }
Procedure {
  input = { topic = field.string{required = true} },
  output = { text = field.string{required = true} },
  function(input)
    if input.topic == "nothing" then error("no topic") end
    return { text = writer({ message = input.topic }).output }
  end,
}
Mocks { writer = { message = "About tea." } }
Specification([[
Feature: Writing

  @fast
  Scenario: passes
    Given the input topic is "tea"
    When the procedure runs
    Then the output text should be "About tea."

  Scenario: fails
    Given the input topic is "tea"
    When the procedure runs
    Then the output text should be "About coffee."
    And the procedure should complete successfully

  Scenario: the procedure fails
    Given the input topic is "nothing"
    When the procedure runs
    Then the output text should exist

  Scenario: lacks its input
    When the procedure runs
    Then the procedure should fail with input_invalid

  Scenario: a step is missing
    Given the input topic is "tea"
    When the wind blows
    Then the output text should exist
]])
`;

const reads = `
local csv = require("tactus.io.csv")
Procedure { function()
  local child = Procedure.run("child.tac")
  return { beside = csv.read("data.csv")[1].name, child = child.name, file = File.exists("kept.csv") }
end }
Specification[[
Feature: Files
  Scenario: lie beside the procedure
    When the procedure runs
    Then the output beside should be "beside"
    And the output child should be "beside"
    And the output file should be True
]]`;

let folder: CliFolder;
let provider: ProviderStandIn;

beforeAll(async () => {
  provider = await startProviderStandIn();
  folder = cliFolder({ OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'sk-test' });
  folder.write('mixed.tac', mixed);
  folder.write('none.tac', 'Procedure { function() return 1 end }');
  folder.write(
    'beside.tac',
    'Procedure { function() return { n = 1 } end }\nSpecification{ from = "beside.feature" }',
  );
  folder.write(
    'beside.feature',
    'Feature: F\n  Scenario: S\n    When the procedure runs\n    Then the output n should be 1\n',
  );
  folder.write('lost.tac', 'Procedure { function() return 1 end }\n\nSpecification{ from = "lost.feature" }');
  folder.write(
    'typo.tac',
    'Procedure { function() return 1 end }\nSpecification[[\nFeature: F\n  Scenario: S\n    Given a\n    Givn b\n]]',
  );
  folder.write(
    'waits.tac',
    `Procedure { function() return { ok = Human.approve("Anyone?") } end }
Specification[[
Feature: F
  Scenario: S
    Given nobody answers
    When the procedure runs
    Then the procedure should complete successfully
]]`,
  );
  folder.write('sub/reads.tac', reads);
  folder.write(
    'sub/child.tac',
    'Procedure { function() return require("tactus.io.csv").read("data.csv")[1] end }',
  );
  folder.write('sub/data.csv', 'name\nbeside\n');
  folder.write('files/kept.csv', 'name\nfolder of files\n');
  folder.write('tactus.yml', 'fixtures_folder: files\n');
  folder.write(
    'older.tac',
    `agent("clerk", { provider = "openai", output_type = { city = { type = "string", required = true } } })
model("mood", { type = "http", endpoint = "http://127.0.0.1:1/" })
main = procedure("main", { input = { name = { type = "string", required = true } } }, function()
  return { name = input.name, city = Clerk.turn().data.city, mood = Mood.predict({}) }
end)
specifications([[
Feature: F
  Scenario: nobody says what is given or answered
    When the procedure runs
    Then the output name should be "test name"
    And the output city should be "Mocked city from clerk"
    And the output mood should exist
  Scenario: the lack of input
    When the procedure runs
    Then the procedure should fail with "Missing required field: name"
]])`,
  );
  cpSync(join(root, 'examples', 'refund.tac'), join(folder.path, 'refund.tac'));
});
afterAll(async () => {
  await folder.close();
  await provider.close();
});

describe('test', () => {
  it('runs each scenario, and tells of each step', async () => {
    const ended = await folder.runHere(['test', 'mixed.tac', '--mock', '--json']);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.json()).toMatchObject({
      passed: 2,
      failed: 2,
      undefined: 1,
      files: [
        {
          file: 'mixed.tac',
          scenarios: [
            {
              feature: 'Writing',
              name: 'passes',
              tags: ['@fast'],
              status: 'passed',
              run_id: expect.stringMatching(/^mixed-/) as string,
            },
            {
              name: 'fails',
              status: 'failed',
              steps: [
                { text: 'the input topic is "tea"', status: 'passed', message: '' },
                { text: 'the procedure runs', status: 'passed', message: '' },
                {
                  text: 'the output text should be "About coffee."',
                  status: 'failed',
                  message: 'the output text is "About tea.", expected "About coffee."',
                },
                { text: 'the procedure should complete successfully', status: 'skipped', message: '' },
              ],
            },
            {
              name: 'the procedure fails',
              steps: [{}, { status: 'failed', message: 'mixed.tac:7: no topic' }, {}],
            },
            { name: 'lacks its input', status: 'passed' },
            { name: 'a step is missing', status: 'undefined', run_id: null },
          ],
        },
      ],
    });
    expect(provider.requests).toHaveLength(0);
    expect(ended.stderr).toContain('✗ mixed.tac · Writing · fails');
    expect(ended.stderr).toContain('Step([[the wind blows]], function(context)');
  });

  it('runs those that are asked for', async () => {
    const byName = await folder.runHere(['test', 'mixed.tac', '--mock', '--scenario', 'passes']);
    expect([byName.code, byName.stdout]).toEqual([0, '1 passed, 0 failed\n']);
    const byTag = await folder.runHere([
      'test',
      'mixed.tac',
      'beside.tac',
      '--mock',
      '--tag',
      'fast',
      '--parallel',
      '1',
    ]);
    expect([byTag.code, byTag.stdout]).toEqual([0, '1 passed, 0 failed\n']);
  });

  it('runs the task that a scenario names, and tells which there are', async () => {
    const tasks = ['mail', 'bill'].map(
      (name) => `Task "${name}" { entry = function(input) return { did = "${name} " .. input.to } end }`,
    );
    const scenario = (step: string): string =>
      `  Scenario: ${step}\n    Given the input to is "Ann"\n    When ${step}\n    Then the output did should be mail Ann`;
    const steps = ['the mail task runs', 'the task "mail" runs', 'the bill task runs', 'the procedure runs'];
    folder.write(
      'tasks.tac',
      `${tasks.join('\n')}\nSpecification[[\nFeature: T\n${[...steps, 'the milk task runs'].map(scenario).join('\n')}\n]]`,
    );
    const ended = await folder.runHere(['test', 'tasks.tac', '--json']);
    expect(ended.json(), ended.stderr).toMatchObject({ passed: 2, failed: 3 });
    expect(ended.stderr).toContain('the output did is "bill Ann", expected mail Ann');
    expect(ended.stderr).toContain('say which task to run; there are: mail, bill');
    expect(ended.stderr).toContain('tasks.tac has no task "milk"; there are: mail, bill');
  });

  it('asks models where it isn’t told to mock them', async () => {
    provider.reply({ text: 'About tea.' });
    const ended = await folder.runHere(['test', 'mixed.tac', '--scenario', 'passes']);
    expect(ended.stdout, ended.stderr).toBe('1 passed, 0 failed\n');
    expect(provider.requests).toHaveLength(1);
  });

  it('has a model judge what a step asserts, but with --mock', async () => {
    folder.write(
      'judged.tac',
      'Procedure { function() return { text = "a bill" } end }\nSpecification[[\nFeature: F\n  Scenario: S\n    When the procedure runs\n    Then the output text should semantically satisfy "is a poem"\n]]',
    );
    const env = { TACTUS_SEMANTIC_ASSERT_MODEL: 'openai/gpt-5-mini' };
    provider.reply(() => ({ text: JSON.stringify({ ok: false, reason: 'no roses' }) }));
    const judged = await folder.runHere(['test', 'judged.tac', '--json'], { env });
    const of = (status: string, message: string): unknown => ({
      files: [
        { scenarios: [{ steps: [{}, { status, message: expect.stringContaining(message) as string }] }] },
      ],
    });
    expect(judged.json(), judged.stderr).toMatchObject({
      passed: 0,
      failed: 1,
      ...(of('failed', 'no roses') as object),
    });
    const mocked = await folder.runHere(['test', 'judged.tac', '--mock', '--json'], { env });
    expect(mocked.json()).toMatchObject({ passed: 1, failed: 0, ...(of('skipped', 'not judged') as object) });
    expect(mocked.stderr).toContain('not judged: no model is asked with --mock');
  });

  it('reads feature files, and takes parameters', async () => {
    const ended = await folder.runHere(['test', 'beside.tac', '--param', 'unused=1', '--json']);
    expect(ended.json()).toMatchObject({ passed: 1, files: [{ scenarios: [{ feature: 'F', name: 'S' }] }] });
  });

  it('takes parameters as each file declares them', async () => {
    const counts = (type: string, expected: string): string =>
      `Procedure { input = { n = field.${type}{} }, function(input) return type(input.n) end }
Specification[[\nFeature: F\n  Scenario: S\n    When the procedure runs\n    Then the output should be "${expected}"\n]]`;
    folder.write('counts.tac', counts('number', 'number'));
    folder.write('names.tac', counts('string', 'string'));
    const ended = await folder.runHere(['test', 'counts.tac', 'names.tac', '--param', 'n=5', '--json']);
    expect(ended.json()).toMatchObject({ passed: 2, failed: 0 });
  });

  it('skips time, and answers for people as a scenario says', async () => {
    const ended = await folder.runHere(['test', 'refund.tac', '--mock']);
    expect(ended.stdout, ended.stderr).toBe('5 passed, 0 failed\n');
  });

  it('skips time after runs that have started others, too', async () => {
    const scenario = (name: string): string =>
      `Specification[[\nFeature: ${name}\n  Scenario: ${name}\n    When the procedure runs\n    Then the output should be 1\n]]`;
    folder.write('part.tac', 'Procedure { function() Sleep("1h") return 1 end }');
    const parents = {
      'waits-for-it': 'return Procedure.run("part.tac")',
      'leaves-it': 'Procedure.spawn("part.tac") return 1',
      'gives-it-up': 'Procedure.cancel(Procedure.spawn("part.tac")) return 1',
      'sleeps-afterwards': 'Sleep("5h") return 1',
    };
    for (const [name, body] of Object.entries(parents))
      folder.write(`${name}.tac`, `Procedure { function() ${body} end }\n${scenario(name)}`);
    const files = Object.keys(parents).map((name) => `${name}.tac`);
    const ended = await folder.runHere(['test', '--parallel', '1', '--timeout', '30s', ...files]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toBe('4 passed, 0 failed\n');
  });

  it('makes up what an older scenario leaves out, and what nobody mocked', async () => {
    const ended = await folder.runHere(['test', 'older.tac', '--mock']);
    expect(ended.stdout, ended.stderr).toBe('2 passed, 0 failed\n');
  });

  it('finds files beside a procedure, and in the folder of files', async () => {
    const ended = await folder.runHere(['test', 'sub/reads.tac', '--mock']);
    expect(ended.stdout, ended.stderr).toBe('1 passed, 0 failed\n');
    const elsewhere = cliFolder();
    try {
      const far = await elsewhere.runHere(['test', join(folder.path, 'sub/reads.tac'), '--mock', '--json']);
      // `File` goes by the folder of files, which has nothing.
      expect(far.json(), far.stderr).toMatchObject({
        files: [
          {
            scenarios: [
              {
                steps: [
                  {},
                  { status: 'passed' },
                  { status: 'passed' },
                  { message: expect.stringContaining('file is false') as string },
                ],
              },
            ],
          },
        ],
      });
    } finally {
      await elsewhere.close();
    }
  });

  it('gives a scenario up that waits for ever', async () => {
    const ended = await folder.runHere(['test', 'waits.tac', '--timeout', '3s', '--json']);
    expect(ended.code).toBe(1);
    const message = 'the run is waiting for human, and nothing more happens';
    expect(ended.json()).toMatchObject({
      files: [{ scenarios: [{ steps: [{}, { status: 'failed', message }, {}] }] }],
    });
  });

  it('says that a scenario took too long', async () => {
    folder.write(
      'long.tac',
      `Procedure { function() while true do File.write("again.txt", "1") end end }
Step("it is seen", function() end)
Specification[[
Feature: F
  Scenario: S
    When the procedure runs
    Then it is seen
]]`,
    );
    const ended = await folder.runHere(['test', 'long.tac', '--timeout', '2s', '--json']);
    const message = 'the run takes longer than a scenario may (--timeout)';
    expect(ended.json()).toMatchObject({ files: [{ scenarios: [{ steps: [{ message }, {}] }] }] });
  });

  it('fails a file alone that can’t be loaded', async () => {
    folder.write('broken.tac', 'Procedure {\n  function() return 1 end\n');
    folder.write(
      'lacking.tac',
      'local prices = require("prices")\nProcedure { function() return prices end }\nSpecification[[\nFeature: F\n  Scenario: S\n    When the procedure runs\n]]',
    );
    const args = ['test', 'broken.tac', 'beside.tac', 'lacking.tac', 'nowhere.tac', 'typo.tac', '--mock'];
    const ended = await folder.runHere([...args, '--json']);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.json()).toMatchObject({
      ...{ passed: 1, failed: 0, undefined: 0, not_loaded: 4 },
      files: [
        { file: 'broken.tac', scenarios: [], error: { code: 'source_invalid', file: 'broken.tac', line: 3 } },
        { file: 'beside.tac', scenarios: [{ status: 'passed' }], error: null },
        {
          file: 'lacking.tac',
          error: {
            code: 'source_invalid',
            message: expect.stringContaining("lacking.tac:1: module 'prices' not found") as string,
          },
        },
        { file: 'nowhere.tac', error: { code: 'source_not_found' } },
        { file: 'typo.tac', error: { code: 'source_invalid', line: 6 } },
      ],
    });
    const shown = await folder.runHere(args);
    expect([shown.code, shown.stdout]).toEqual([1, '1 passed, 0 failed, 4 files not loaded\n']);
    expect(shown.stderr).toContain(
      "✗ lacking.tac can't be loaded\n        lacking.tac:1: module 'prices' not found",
    );
  });

  it.each([
    [['broken.tac', 'lacking.tac'], 'broken.tac:3: '],
    [['lacking.tac'], "lacking.tac:1: module 'prices' not found"],
    [['none.tac'], 'No scenario was found in none.tac'],
    [['mixed.tac', '--scenario', 'nowhere'], 'with "nowhere" in its name'],
    [['nowhere.tac'], 'There is no file nowhere.tac'],
    [['lost.tac'], 'lost.tac:3: there is no file lost.feature'],
    [['typo.tac'], 'typo.tac:6: this is no Gherkin'],
    [['mixed.tac', '--parallel', '0'], '--parallel takes a positive integer'],
    [[], 'Name files to test, or --from-run'],
  ])('refuses %j', async (args, message) => {
    const ended = await folder.runHere(['test', ...args, '--mock', '--json']);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('run --mock', () => {
  it('asks no model, and people all the same', async () => {
    const before = provider.requests.length;
    const args = ['run', 'refund.tac', '--mock', '--param', 'message=Hello', '--respond', 'true', '--json'];
    const ended = await folder.runHere(args);
    expect(ended.json()).toMatchObject({ status: 'completed', output: { refunded: 40, by: 'person' } });
    expect(provider.requests).toHaveLength(before);
  });
});
