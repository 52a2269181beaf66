import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

const root = resolve(import.meta.dirname, '../../..');

let folder: CliFolder;
let provider: ProviderStandIn;

beforeAll(async () => {
  provider = await startProviderStandIn();
  folder = cliFolder({ OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'sk-test' });
  cpSync(join(root, 'examples', 'greeting.tac'), join(folder.path, 'greeting.tac'));
  folder.write(
    'judged.tac',
    `writer = Agent { model = "openai/gpt-5-mini" }
Procedure { input = { n = field.number{} }, output = { text = field.string{} }, function(input)
  if input.n == 3 then error("no three") end
  return { text = writer({ message = "write " .. input.n }).output }
end }
Evaluation {
  dataset_file = "cases.jsonl",
  evaluators = { field.llm_judge{ rubric = "Is it a poem?", model = "openai/gpt-5-mini" } },
  thresholds = { min_success_rate = 0.6 },
}`,
  );
  folder.write(
    'cases.jsonl',
    '\ufeff{"name": "one", "inputs": {"n": 1}}\r\n{"inputs": {"n": 2}}\n\n{"name": "three", "inputs": {"n": 3}}\n',
  );
  folder.write('none.tac', 'Procedure { function() return 1 end }\nEvaluation{ runs = 3 }');
});
afterAll(async () => {
  await folder.close();
  await provider.close();
});

describe('evaluate', () => {
  it('runs each case as often as the file says, with progress', async () => {
    const ended = await folder.run(['evaluate', 'greeting.tac', '--mock']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toBe('greeting.tac: 4 of 4 runs passed (100 %)\n');
    expect(ended.stderr).toContain('(4 of 4)');
    expect(provider.requests).toHaveLength(0);
  });

  it('takes no limit of cost for kept where a price isn’t known, until configuration has one', async () => {
    provider.reply(() => ({ text: 'words', usage: { input: 10, output: 2 } }));
    folder.write(
      'dear.tac',
      `writer = Agent { model = "openai/gpt-unheard-of" }
Procedure { input = { n = field.number{} }, function(input) return writer("write").output end }
Evaluation {
  dataset = { { name = "one", inputs = { n = 1 } } },
  evaluators = { field.min_length{ value = 1 } },
  thresholds = { max_cost_per_run = 0.5 },
}`,
    );
    const unknown = await folder.runHere(['evaluate', 'dear.tac']);
    expect(unknown.code).toBe(1);
    expect(unknown.stdout).toContain("what 1 runs cost isn't known, such as one");
    folder.write('dear.tac.yml', 'prices: {openai/gpt-unheard-of: {input: 10000, output: 20000}}\n');
    expect(await folder.runHere(['evaluate', 'dear.tac'])).toMatchObject({ code: 0 });
    folder.write('dear.tac.yml', 'prices: {openai/gpt-unheard-of: {input: 100000, output: 0}}\n');
    expect((await folder.runHere(['evaluate', 'dear.tac'])).stdout).toContain('1 runs took over 0.5 $');
    folder.write('dear.tac.yml', 'prices: {openai/gpt-unheard-of: 5}\n');
    const wrong = await folder.runHere(['evaluate', 'dear.tac']);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('prices: openai/gpt-unheard-of must be') as string,
    });
  });

  it('fails a file alone that can’t be loaded', async () => {
    folder.write('broken.tac', 'Procedure {\n  function() return 1 end\n');
    const ended = await folder.runHere(['evaluate', 'broken.tac', 'greeting.tac', '--mock', '--json']);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.json()).toMatchObject({
      passed: false,
      evaluations: [
        { file: 'broken.tac', passed: false, runs: [], error: { code: 'source_invalid', line: 3 } },
        { file: 'greeting.tac', passed: true, error: null },
      ],
    });
  });

  it('has a model judge, and holds the whole to its thresholds', async () => {
    provider.reply((request) => {
      const text = JSON.stringify(request.body['messages']);
      if (text.includes('Rubric: Is it a poem?'))
        return { text: JSON.stringify({ ok: text.includes('roses'), reason: 'no roses' }) };
      return { text: text.includes('write 1') ? 'roses are red' : 'a bill' };
    });
    const ended = await folder.runHere(['eval', 'judged.tac', '--runs', '2', '--json']);
    expect(ended.code, ended.stderr).toBe(1);
    const problem = "llm_judge: the output, in the judge's opinion: no roses";
    expect(ended.json()).toMatchObject({
      passed: false,
      evaluations: [
        {
          file: 'judged.tac',
          success_rate: 2 / 6,
          passed: false,
          problems: ['2 of 6 runs passed, expected 60 %'],
          runs: [
            { case: 'one', status: 'passed', problems: [], output: { text: 'roses are red' } },
            { case: 'one', status: 'passed' },
            { case: 'case 2', status: 'failed', problems: [problem] },
            { case: 'case 2', status: 'failed' },
            { case: 'three', status: 'failed', problems: [expect.stringContaining('no three')] },
            { case: 'three', status: 'failed' },
          ],
        },
      ],
    });
  });

  it.each([
    [['none.tac'], 'No Evaluation with a dataset was found in none.tac'],
    [['greeting.tac', '--runs', 'many'], '--runs takes a positive integer'],
  ])('refuses %j', async (args, message) => {
    const ended = await folder.runHere(['evaluate', ...args, '--json']);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
