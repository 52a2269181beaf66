import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

const procedure = (question: string): string => `Procedure { function()
  local name = Human.input("Who?")
  local ok = Human.approve("${question} " .. name .. "?")
  return { name = name, ok = ok }
end }`;

beforeAll(async () => {
  folder = cliFolder();
  folder.write('greet.tac', procedure('Greet'));
  folder.write('write.tac', procedure('Write to'));
  folder.write(
    'writes.tac',
    procedure('Greet').replace('  local name', '  File.write("a.txt", "a")\n  local name'),
  );
  folder.write('other.tac', procedure('Greet').replace('Who?', 'Whom?'));
  const ended = await folder.runHere([
    ...['run', 'greet.tac', '--id', 'first', '--respond', '"Ann"', '--respond', 'true', '--json'],
  ]);
  expect(ended.json(), ended.stderr).toMatchObject({ output: { name: 'Ann', ok: true } });
});

afterAll(() => folder.close());

describe('fork', () => {
  it('goes another way from a checkpoint on', async () => {
    const forked = await folder.runHere(['fork', 'first', '--at', '1', '--id', 'second', '--json']);
    expect(forked.code, forked.stderr).toBe(0);
    expect(forked.json()).toEqual({
      ...{ run_id: 'second', forked_from: 'first', at: '1', checkpoints: 1, left_behind: [] },
      ...{ from: 'first', plan: expect.objectContaining({ kept: 1 }) as unknown },
    });
    const resumed = await folder.runHere(['resume', 'second', '--respond', 'false', '--json']);
    expect(resumed.json()).toMatchObject({ run_id: 'second', output: { name: 'Ann', ok: false } });
  });

  it('takes what was answered instead, from a source of its own', async () => {
    const forked = await folder.runHere([
      'fork',
      'first',
      '--at',
      '0',
      '--set',
      'Bob',
      '--source',
      'write.tac',
    ]);
    expect(forked.code, forked.stderr).toBe(0);
    const id = forked.stdout.trim();
    expect(forked.stderr).toContain(`tactus-temporal resume ${id}`);
    const { pending } = (await folder.runHere(['status', id, '--json'])).json();
    expect(pending).toMatchObject([{ message: 'Write to Bob?' }]);
  });

  it.each([
    [['first'], 2, 'usage', /needs --at; npx tactus-temporal log first/],
    [['first', '--at', '9'], 2, 'usage', /no checkpoint 9/],
    [['nobody', '--at', '0'], 2, 'run_not_found', /nobody/],
    [['first', '--at', '0', '--source', 'gone.tac'], 2, 'source_not_found', /gone\.tac/],
    [['first', '--at', '1', '--source', 'other.tac'], 1, 'non_determinism', /Who\?.*Whom\?/],
    [['first', '--at', '1', '--source', 'writes.tac'], 1, 'non_determinism', /Who\?.*asks for file 'write a/],
    [['first', '--at', '1', '--id', 'first'], 2, 'run_conflict', /first already/],
  ])('refuses %j', async (args, code, error, message) => {
    const ended = await folder.runHere(['fork', ...args, '--json']);
    expect(ended.json()).toMatchObject({
      error: { code: error, message: expect.stringMatching(message) as unknown },
    });
    expect(ended.code).toBe(code);
  });
});
