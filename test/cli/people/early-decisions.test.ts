import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write(
    'two.tac',
    `Procedure { function()
      local first = Human.approve { message = "May I look?" }
      local second = Human.approve { message = "May I delete everything?" }
      return { first = first, second = second }
    end }`,
  );
});
afterAll(() => folder.close());

it('a number that was mistyped decides nothing, unless it is meant', async () => {
  await folder.runHere(['run', 'two.tac', '--id', 'two', '--json']);
  const mistyped = await folder.runHere(['respond', 'two/1', 'y', '--as', 'ann', '--json']);
  expect([mistyped.code, mistyped.json()]).toMatchObject([
    2,
    { outcome: 'unknown', message: expect.stringContaining('respond --early') as string },
  ]);
  await folder.runHere(['respond', 'two/0', 'n']);
  const asked = (await folder.runHere(['pending', '--json'])).json();
  expect(asked['pending']).toMatchObject([{ id: 'two/1', message: 'May I delete everything?' }]);

  await folder.runHere(['run', 'two.tac', '--id', 'meant', '--json']);
  const meant = await folder.runHere(['respond', 'meant/1', 'y', '--early', '--json']);
  expect([meant.code, meant.json()]).toMatchObject([0, { outcome: 'early' }]);
  // Of an open request the word changes nothing.
  expect((await folder.runHere(['respond', 'meant/0', 'y', '--early'])).code).toBe(0);
  const result = (await folder.runHere(['resume', 'meant', '--json'])).json();
  expect(result['output']).toEqual({ first: true, second: true });
  expect((await folder.runHere(['log', 'meant'])).stdout).toMatch(
    /May I delete.*answered before it was asked/,
  );
});
