import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder.close());

it('each scenario of test begins at the present time, whatever waited before it or beside it', async () => {
  const year = (days: number): number => new Date(Date.now() + days * 86_400_000).getUTCFullYear();
  const scenario = (days: number, i: number): string =>
    `Scenario: number ${i}\n  Given the input days is ${days}\n  When the procedure runs\n  Then the output year should be "${year(days)}"\n`;
  const days = [1_500, 0, 3_000, 0, 0, 1_500];
  folder.write(
    'years.tac',
    `Procedure { input = { days = field.number{required = true} }, output = { year = field.string{} }, function(input)
  if input.days > 0 then Sleep(input.days * 86400) end
  for _ = 1, 3 do File.exists("nothing.txt") end
  return { year = checkpoint(function() return os.date("!%Y") end) }
end }
Specification([[
Feature: Years
${days.map(scenario).join('\n')}]])`,
  );
  for (const flags of [
    ['--parallel', '1'],
    ['--parallel', '3'],
    ['--twice', '--crash-everywhere'],
  ]) {
    const { code, stdout, stderr } = await folder.runHere(['test', 'years.tac', ...flags]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('6 passed, 0 failed');
  }
});
