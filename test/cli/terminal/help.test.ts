import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommandHelp } from '../../../src/cli/terminal/help-command.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder.close());

const help = async (...words: string[]): Promise<CommandHelp> =>
  (await folder.runHere(['help', ...words, '--json'])).json() as unknown as CommandHelp;

it('programs get a command with its arguments and flags', async () => {
  const create = await help('schedule', 'create');
  expect(create).toMatchObject({
    name: 'schedule create',
    usage: 'schedule create [options] <id> <file> [task]',
    arguments: [
      { name: 'id', required: true },
      { name: 'file', required: true },
      { name: 'task', required: false },
    ],
    commands: [],
  });
  const flag = (flags: string) => create.options.find((each) => each.flags === flags);
  expect(flag('--overlap <what>')).toEqual({
    ...{ flags: '--overlap <what>', value: 'what', optional_value: false, variadic: false, required: false },
    description: 'when the run before goes on: start none, wait for its end, or start one beside it',
    ...{ default: 'skip', choices: ['skip', 'buffer', 'allow'] },
  });
  expect(flag('--label <key=value>')).toMatchObject({ value: 'key=value', variadic: true });
  expect(flag('--label <key=value>')).not.toHaveProperty('default');
  expect(flag('--no-validate')).toMatchObject({ value: null });
});

it('programs get all commands, each with words for all that it takes', async () => {
  const all = (await help()) as CommandHelp & { exit_codes: Record<string, string>; version: string };
  expect(all.exit_codes).toMatchObject({ 0: 'done as asked', 130: 'interrupted' });
  expect(all.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(all.options.map(({ flags }) => flags)).toContain('--address <host:port>');
  const names: string[] = [];
  const walk = (command: CommandHelp): void => {
    names.push(command.name);
    for (const { description } of [command, ...command.arguments, ...command.options])
      expect(description, command.name).not.toBe('');
    command.commands.forEach(walk);
  };
  walk(all);
  expect(names).toEqual(expect.arrayContaining(['run', 'dlq requeue', 'codec key', 'completion', 'help']));
  expect(new Set(names).size).toBe(names.length);
});

it('people get what --help shows, and a name that there is not is refused', async () => {
  for (const words of [[], ['schedule', 'create']]) {
    const shown = await folder.runHere(['help', ...words]);
    expect([shown.code, shown.stdout]).toEqual([0, (await folder.runHere([...words, '--help'])).stdout]);
  }
  const wrong = await folder.runHere(['help', 'schedule', 'creat', '--json']);
  expect([wrong.code, wrong.json()]).toMatchObject([
    2,
    { error: { code: 'usage', message: "unknown command 'schedule creat'" } },
  ]);
});
