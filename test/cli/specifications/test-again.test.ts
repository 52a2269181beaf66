import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const root = resolve(import.meta.dirname, '../../..');

const oneThrow = `Specification[[
Feature: Dice
  Scenario: one throw
    When the procedure runs
    Then the output n should exist
]]`;

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  cpSync(join(root, 'examples', 'refund.tac'), join(folder.path, 'refund.tac'));
  folder.write(
    'dice.tac',
    `Procedure { function()
  local n = math.random(1000000)
  return { n = roll({ n = n }) }
end }
roll = Tool { input = { n = "number" }, function(args) return args.n end }
${oneThrow}`,
  );
  folder.write(
    'recorded.tac',
    `Procedure { function()
  local n = checkpoint(function() return math.random(1000000) end)
  local part = Procedure.spawn("die.tac", { n = n })
  return { n = Procedure.wait(part).n + roll({ n = n }) + bought({}) }
end }
roll = Tool { input = { n = "number" }, function(args) return args.n end }
bought = Tool { function() File.write("bought-" .. os.time() .. math.random(), "1") return 1 end }
${oneThrow}`,
  );
  folder.write(
    'late.tac',
    `Procedure { function()
  checkpoint()
  if os.time() > ${Math.floor(Date.now() / 1_000) + 86_400} then File.write("late.txt", "x") end
  return { n = Human.approve("First?") }
end }
${oneThrow}`,
  );
  folder.write(
    'die.tac',
    'Procedure { input = { n = "number" }, function(input) File.write("die", "1") return { n = input.n } end }',
  );
  folder.write(
    'looks.tac',
    `Procedure { function()
  Sleep("3h")
  if File.exists("done") then return { n = 1 } end
  File.write("done", "1")
  return { n = Human.approve("Go on?") and 2 or 3 }
end }
${oneThrow}`,
  );
});

afterAll(() => folder.close());

function stepsOf(ended: { json: () => JsonObject }): JsonObject[] {
  const [file] = ended.json()['files'] as { scenarios: { steps: JsonObject[] }[] }[];
  return file?.scenarios[0]?.steps ?? [];
}

function lastStep(ended: { json: () => JsonObject }): JsonObject | undefined {
  return stepsOf(ended).at(-1);
}

describe('test --twice', () => {
  it('tells where the second run of a scenario goes apart', async () => {
    const same = await folder.runHere(['test', 'refund.tac', '--mock', '--twice']);
    expect(same.stdout, same.stderr).toBe('5 passed, 0 failed\n');
    const ended = await folder.runHere(['test', 'dice.tac', '--twice', '--json']);
    expect(ended.code, ended.stderr).toBe(1);
    expect(lastStep(ended)).toMatchObject({
      text: 'it does the same a second time',
      status: 'failed',
      message: expect.stringMatching(
        /^dice\.tac:3: NonDeterminismError at position 0: recorded is tool_call 'roll' at 0, .* with other arguments: {"n":\d+} then, {"n":\d+} now$/,
      ) as string,
    });
  });

  it('tells of something else than a recorded question', async () => {
    const ended = await folder.runHere(['test', 'late.tac', '--mock', '--twice', '--json']);
    expect(ended.code, ended.stderr).toBe(1);
    expect(lastStep(ended)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(
        "recorded is hitl_approval 'First?' at 1, the procedure now asks for file 'write late.txt' at 1",
      ) as unknown,
    });
  });

  it('goes on from what the first run recorded, and does nothing twice', async () => {
    const ended = await folder.runHere(['test', 'recorded.tac', '--twice']);
    expect(ended.stdout, ended.stderr).toBe('1 passed, 0 failed\n');
    await folder.runHere(['test', 'recorded.tac', '--twice', '--files', 'files']);
    expect(readdirSync(join(folder.path, 'files')).filter((name) => name.startsWith('bought-'))).toHaveLength(
      1,
    );
  });
});

describe('test --crash-everywhere', () => {
  it('does what left the worker twice, and comes to the same', async () => {
    const ended = await folder.runHere(['test', 'recorded.tac', '--crash-everywhere', '--json']);
    expect(ended.code, ended.stderr).toBe(0);
    // Two files are written, one by the run that was started.
    expect(lastStep(ended)).toEqual({
      text: 'it comes to the same where its worker crashes after each effect (2 done twice)',
      status: 'passed',
      message: '',
    });
    const mocked = await folder.runHere(['test', 'refund.tac', '--mock', '--crash-everywhere', '--twice']);
    expect(mocked.stdout, mocked.stderr).toBe('5 passed, 0 failed\n');
  });

  it('comes to the same where a run begins again, by the log of its last pass', async () => {
    cpSync(join(root, 'examples', 'language', 'passes.tac'), join(folder.path, 'passes.tac'));
    const ended = await folder.runHere(['test', 'passes.tac', '--twice', '--crash-everywhere', '--json']);
    expect(ended.code, ended.stdout).toBe(0);
    expect(stepsOf(ended).slice(-2)).toMatchObject([
      { text: 'it does the same a second time', status: 'passed' },
      {
        text: expect.stringContaining('it comes to the same where its worker crashes') as string,
        status: 'passed',
      },
    ]);
  });

  it('goes on from each part that is whole, and tells of what its body changed outside', async () => {
    const whole = (body: string): string => `
      local total, agent = 0, Agent { model = "openai/gpt-5-mini", system_prompt = "Say" }
      Mocks { agent = { temporal = { { message = "a" }, { message = "b" }, { message = "c" } } } }
      main = Procedure "main" { function()
        local list = {}
        for i = 1, 3 do
          list[i] = step("part " .. i, function()
            checkpoint(function() return i end)
            ${body}
            return i
          end, { whole = true })
        end
        local graph = Graph { channels = { n = Graph.last }, entrypoint = "a", nodes = {
          a = function(now) return { writes = { n = (now.n or 0) + 1 }, next = (now.n or 0) < 4 and "a" or nil } end } }
        return { n = #list, total = total, kept = state.total, said = agent("x").output, steps = graph({}).values.n }
      end }
      ${oneThrow}`;
    folder.write('whole.tac', whole('state.total = (state.total or 0) + i agent("say")'));
    folder.write('outside.tac', whole('total = total + i'));
    const test = (file: string) => folder.runHere(['test', file, '--mock', '--crash-everywhere', '--json']);
    const sound = await test('whole.tac');
    expect(sound.code, sound.stdout).toBe(0);
    // Three steps, four super-steps that are not the last, the graph, and four turns: one in each step, and the last.
    expect(lastStep(sound)).toEqual({
      text: 'it goes on the same from each part that is whole (12)',
      status: 'passed',
      message: '',
    });
    const ended = await test('outside.tac');
    expect(ended.code, ended.stdout).toBe(1);
    // Without the turns in the steps.
    expect(lastStep(ended)).toMatchObject({
      text: 'it goes on the same from each part that is whole (9)',
      status: 'failed',
      message: expect.stringMatching(
        /^from the end of 0 on: the output: with its body .*"total":6.*, without it .*"total":5.*: return it, or keep it in state$/,
      ) as string,
    });
  });

  it('tells of a procedure that takes another way', async () => {
    // What the run before has left in the folder changes what the second one sees.
    const ended = await folder.runHere([
      'test',
      'looks.tac',
      '--crash-everywhere',
      '--files',
      'files',
      '--json',
    ]);
    expect(ended.code, ended.stderr).toBe(1);
    expect(lastStep(ended)).toMatchObject({
      status: 'failed',
      message: 'without a crash the log has 2: file completed, and with crashes its end',
    });
    expect(readFileSync(join(folder.path, 'files/done'), 'utf8')).toBe('1');
    const own = await folder.runHere(['test', 'looks.tac', '--crash-everywhere']);
    expect(own.stdout, own.stderr).toBe('1 passed, 0 failed\n');
  });
});
