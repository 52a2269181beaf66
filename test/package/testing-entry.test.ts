import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectSource } from 'tactus-temporal';
import {
  evaluateFile,
  judge,
  mockPlan,
  problemsOf,
  startTestEnvironment,
  testFile,
  type TestEnvironment,
} from 'tactus-temporal/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectLogs } from '../support/collect-logs.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** What somebody's own tests do with `tactus-temporal/testing`, in the built package. */

const greeting = `
Procedure {
  input = { name = field.string{required = true} },
  output = { greeting = field.string{required = true} },
  function(input) return { greeting = "Hello, " .. input.name .. "!" } end,
}
Evaluation {
  dataset = { { name = "Ann", inputs = { name = "Ann" } }, { name = "Bob", inputs = { name = "Bob" } } },
  evaluators = { field.contains{field = "greeting", value = "Ann"} },
}
Specification[[
Feature: Greeting
  Scenario: greets
    Given the input name is "Ann"
    Then the output greeting should be "Hello, Ann!"
  @wrong
  Scenario: greets another
    Given the input name is "Bob"
    Then the output greeting should be "Hello, Ann!"
]]`;

let provider: ProviderStandIn;
let environment: TestEnvironment;
let folder: string;

beforeAll(async () => {
  collectLogs();
  provider = await startProviderStandIn();
  folder = temporaryFolder('testing-entry');
  writeFileSync(join(folder, 'greeting.tac'), greeting);
  environment = await startTestEnvironment({
    filesRoot: folder,
    coldCaches: true,
    activities: { env: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${provider.url}/v1` } },
  });
});

afterAll(async () => {
  await environment.stop();
  await provider.close();
});

describe('testFile', () => {
  it('passes where all scenarios do, days and crashes included', async () => {
    const options = { mock: true, twice: true, crashEverywhere: true };
    const result = await testFile(environment, 'examples/refund.tac', options);
    expect(problemsOf(result)).toEqual([]);
    expect(result.scenarios.map(({ name }) => name)).toContain('nobody answers for three days');
    expect(provider.requests).toEqual([]);
  });

  it('says of a scenario that fails which step is wrong, and throws nothing', async () => {
    const result = await testFile(environment, join(folder, 'greeting.tac'), { mock: true });
    expect(result.scenarios.map(({ status }) => status)).toEqual(['passed', 'failed']);
    expect(problemsOf(result)).toEqual([expect.stringContaining('greets another: the output greeting')]);
  });

  it('runs only what is chosen', async () => {
    const options = { mock: true, tags: ['wrong'] };
    const { scenarios } = await testFile(environment, join(folder, 'greeting.tac'), options);
    expect(scenarios.map(({ name }) => name)).toEqual(['greets another']);
    const none = testFile(environment, join(folder, 'greeting.tac'), { scenario: 'is not there' });
    await expect(none).rejects.toMatchObject({ code: 'usage' });
  });
});

it('evaluateFile says which cases miss the thresholds', async () => {
  const [result] = await evaluateFile(environment, join(folder, 'greeting.tac'), { mock: true, runs: 2 });
  expect(result).toMatchObject({ passed: false, success_rate: 0.5 });
  expect(problemsOf(result!)).toContain('2 of 4 runs passed, expected 100 %');
});

it('a run of its own takes mocks, and skips the days that it waits', async () => {
  const source = await collectSource('examples', 'refund.tac');
  const mock = mockPlan({ agents: { clerk: [{ data: { amount: 7, reason: 'small' } }] }, people: [] });
  const output = await environment.tactus.execute(source, { message: 'Order A-1' }, { mock });
  expect(output).toEqual({ refunded: 7, by: 'clerk' });
  const begun = performance.now();
  // Nobody is there to be asked: after three days the request is given up.
  const unanswered = environment.tactus.execute(source, { message: 'Order A-7' }, { mock: mockPlan() });
  await expect(unanswered).rejects.toThrow('turned down');
  expect(performance.now() - begun).toBeLessThan(60_000);
});

it('judge asks a model', async () => {
  provider.reply(() => ({ text: JSON.stringify({ ok: false, reason: 'It is rude.' }) }));
  const question = { rubric: 'Is it kind?', text: 'Go away.', model: 'openai/gpt-5-mini' };
  expect(await judge(environment, question)).toEqual({ ok: false, reason: 'It is rude.' });
});
