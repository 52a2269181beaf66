import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write(
    'wait.tac',
    `Procedure {
  output = { why = field.string {}, days = field.integer {}, low = field.integer {} },
  function()
    local before = os.time()
    local low = 0
    while true do
      local command, problem = Event.wait("command", { timeout = "10d" })
      local days = (os.time() - before) // 86400
      if problem == "timed_out" then return { why = "time", days = days, low = low } end
      if command == nil then return { why = "empty", days = days, low = low } end
      if command == "stop" or command.stop then return { why = "stopped", days = days, low = low } end
      low = command.low
    end
  end,
}
Specification([[
Feature: Commands
  Scenario: none
    When the procedure runs
    Then the output why should be "time"
    And the output days should be 10
  Scenario: two, in their time
    Given the event "command" arrives after "5d" with {"stop": true}
    And the event "command" arrives with {"low": 3} after "2d"
    And the event "other" arrives after "1h"
    When the procedure runs
    Then the output why should be "stopped"
    And the output days should be 5
    And the output low should be 3
  Scenario: a text, at once
    Given the event "command" arrives with "stop"
    When the procedure runs
    Then the output why should be "stopped"
    And the output days should be 0
  Scenario: without a value
    Given the event "command" arrives after "3d"
    When the procedure runs
    Then the output why should be "empty"
    And the output days should be 3
]])
`,
  );
});
afterAll(() => folder.close());

it('events reach a run in their time, a second time and on crashing workers too', async () => {
  const ended = await folder.run(['test', 'wait.tac', '--twice', '--crash-everywhere', '--json']);
  expect(ended.json(), ended.stderr).toMatchObject({ passed: 4, failed: 0, undefined: 0 });
});

it('a time that is none, and an event that comes too late, are faults of the step', async () => {
  const specification = (steps: string): string =>
    `Procedure { function() return {} end }\nSpecification([[\nFeature: F\n  Scenario: S\n${steps}\n]])\n`;
  folder.write(
    'soon.tac',
    specification('    Given the event "e" arrives after "soon"\n    When the procedure runs'),
  );
  expect((await folder.runHere(['test', 'soon.tac'])).stderr).toContain('after');
  folder.write(
    'late.tac',
    specification('    When the procedure runs\n    And the event "e" arrives after "1d"'),
  );
  const late = await folder.runHere(['test', 'late.tac']);
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('write this step before the procedure runs');
});
