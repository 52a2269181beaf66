import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

beforeAll(async () => {
  folder = cliFolder();
  folder.write(
    'polls.tac',
    `Procedure {
  input = { left = field.integer { default = 2 } },
  function(input)
    print("left", input.left)
    checkpoint(function() return input.left end)
    if input.left > 0 then Procedure.continue_as_new { left = input.left - 1 } end
    return "over"
  end,
}`,
  );
  const ended = await folder.run(['run', 'polls.tac', '--id', 'polls']);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).toContain('over');
  // Each line of each pass once, whatever passes it missed between two looks.
  expect(ended.stdout.match(/left\t0/g)).toHaveLength(1);
});
afterAll(() => folder?.close());

it('log shows the pass that the run is in, and says how to see those before', async () => {
  const { stdout } = await folder.run(['log', 'polls']);
  expect(stdout).toContain('pass 3, after 2 checkpoints');
  expect(stdout).toContain('log polls --all');
  expect(stdout.match(/explicit_checkpoint/g)).toHaveLength(1);
  const log = (await folder.runHere(['log', 'polls', '--json'])).json();
  expect(log).toMatchObject({ replay_index: 3, pass: { number: 2, checkpoints: 2 } });
});

it('log --all has all of them, and draws them', async () => {
  const log = (await folder.run(['log', 'polls', '--all', '--json'])).json();
  const entries = log['execution_log'] as { position: string; result: number }[];
  expect(entries.map(({ position, result }) => [position, result])).toEqual([
    ['0', 2],
    ['2', 1],
    ['4', 0],
  ]);
  const { stdout } = await folder.run(['log', 'polls', '--all', '--mermaid']);
  expect(stdout.match(/explicit_checkpoint/g)).toHaveLength(3);
  const full = await folder.run(['log', 'polls', '--all', '--full']);
  expect([full.code, full.stderr]).toEqual([2, expect.stringContaining('--all shows the log alone')]);
});

it('an exported run goes on in the pass that it was in', async () => {
  const { stdout } = await folder.run(['export', 'polls']);
  const imported = await folder.run(['import', stdout.trim(), '--id', 'again']);
  expect(imported.code, imported.stderr).toBe(0);
  const result = await folder.run(['result', 'again', '--json']);
  expect(result.json()).toMatchObject({ output: 'over' });
});
