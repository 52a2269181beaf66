import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

beforeAll(async () => {
  folder = cliFolder();
  folder.write(
    'ask.tac',
    'Procedure { function() local name = Human.input("Name?") File.write("name.txt", name) return name end }',
  );
  expect((await folder.runHere(['run', 'ask.tac', '--id', 'one', '--json'])).code).toBe(3);
});
afterAll(() => folder.close());

const json = async (...args: string[]): Promise<{ code: number; answer: unknown; stderr: string }> => {
  const ended = await folder.runHere([...args, '--json']);
  return { code: ended.code ?? -1, answer: ended.json(), stderr: ended.stderr };
};

describe('pause and unpause', () => {
  it('tell what is under way, and are idempotent', async () => {
    const paused = { by: 'ann', reason: 'look first', deadlines: 'stand_still' };
    const flags = ['--as', 'ann', '--reason', 'look first', '--deadlines', 'stand-still'];
    expect(await json('pause', 'one', ...flags)).toMatchObject({
      code: 0,
      answer: {
        ...{ run_id: 'one', status: 'paused', changed: true, paused, waiting: 1 },
        waiting_for: [{ position: '0', kind: 'human' }],
      },
    });
    expect(await json('pause', 'one', '--as', 'bob')).toMatchObject({
      code: 0,
      answer: { status: 'paused', changed: false, paused },
    });
    const text = await folder.runHere(['pause', 'one']);
    expect(text.stdout).toMatch(
      /^one was paused already: paused by ann since \S+: look first\nUnder way:\n {2}0 {2}human/,
    );
  });

  it('show in status and list, and to whoever follows the run', async () => {
    expect(await json('respond', 'one/0', 'Ada')).toMatchObject({ answer: { outcome: 'accepted' } });
    expect(await json('status', 'one')).toMatchObject({
      answer: { status: 'paused', paused: { by: 'ann' }, waits: [{ held: true }] },
    });
    expect((await folder.runHere(['status', 'one'])).stdout).toMatch(
      /paused by ann since \S+: look first\nheld, not begun activity: write name.txt/,
    );
    expect(await json('list', '--status', 'paused')).toMatchObject({ answer: { runs: [{ run_id: 'one' }] } });
    const followed = await folder.runHere(['resume', 'one', '--json']);
    expect(followed.code).toBe(3);
    expect(followed.stderr).toMatch(
      /The run is paused by ann since \S+: look first\. To go on: .*unpause one/,
    );
    expect(await json('unpause', 'one')).toMatchObject({ answer: { status: 'running', changed: true } });
    expect(await json('resume', 'one')).toMatchObject({ code: 0, answer: { output: 'Ada' } });
    expect(await json('unpause', 'one')).toMatchObject({
      code: 2,
      answer: { error: { code: 'run_not_found' } },
    });
  });

  it('refuse what is no word for deadlines, before a server is asked', async () => {
    expect(await json('pause', 'one', '--deadlines', 'never')).toMatchObject({
      code: 2,
      answer: { error: { code: 'usage' } },
    });
  });
});

it('start --paused does nothing before unpause', async () => {
  expect(await json('start', 'ask.tac', '--id', 'two', '--paused')).toMatchObject({ code: 0 });
  expect(await json('status', 'two')).toMatchObject({
    answer: { status: 'paused', pending: [], waits: [{ kind: 'human', name: 'Name?', held: true }] },
  });
  expect(await json('unpause', 'two')).toMatchObject({ code: 0 });
  expect(await json('pending', 'two')).toMatchObject({ answer: { pending: [{ id: 'two/0' }] } });
});
