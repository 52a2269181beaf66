import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

const refund = (note: string, question = 'Refund?'): string => `Procedure { function()
  local n = checkpoint(function() return 1 end)
  local ok = Human.approve("${question}")
  return { n = n, ok = ok, note = "${note}" }
end }`;

beforeAll(() => {
  folder = cliFolder();
  folder.write('refund.tac', refund('old'));
  folder.write('next/refund.tac', refund('new'));
  folder.write('reworded/refund.tac', refund('new', 'Pay?'));
});
afterAll(() => folder.close());

const run = (...args: string[]) => folder.runHere([...args, '--json']);
const begin = async (id: string): Promise<void> => {
  const begun = await run('run', 'refund.tac', '--id', id);
  expect(begun.code, begun.stderr).toBe(3);
};

describe('upgrade', () => {
  it('tells what would become of a run, moves it, and leaves one that does not fit as it was', async () => {
    await begin('one');
    const planned = await run('upgrade', 'one', '--source', 'next/refund.tac', '--dry-run');
    expect(planned.code, planned.stderr).toBe(0);
    expect(planned.json()).toMatchObject({
      ...{ fit: 1, diverge: 0, moved: 0 },
      runs: [
        {
          ...{ run_id: 'one', verdict: 'fits', moved: false, message: null },
          plan: { kept: 1, again: [], requests: [{ id: 'one/1', becomes: 'kept' }] },
        },
      ],
    });
    const refused = await run('upgrade', 'one', '--source', 'reworded/refund.tac');
    expect(refused.code).toBe(1);
    expect(refused.json()).toMatchObject({
      ...{ fit: 0, diverge: 1, moved: 0 },
      runs: [{ verdict: 'diverges', moved: false, position: '1', file: 'refund.tac', line: 3 }],
    });
    const text = await folder.runHere(['upgrade', 'one', '--source', 'reworded/refund.tac']);
    expect(text.stdout).toBe(`It doesn't fit at 1, refund.tac:3:
      local ok = Human.approve("Pay?")
      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  recorded: hitl_approval 'Refund?' at 1
  now:      hitl_approval 'Pay?' at 1
`);
    const moved = await run('upgrade', 'one', '--source', 'next/refund.tac');
    expect(moved.json(), moved.stderr).toMatchObject({ moved: 1, runs: [{ verdict: 'fits', moved: true }] });
    expect((await run('upgrade', 'one', '--source', 'next/refund.tac')).json()).toMatchObject({
      ...{ fit: 1, moved: 0 },
      runs: [{ verdict: 'fits', moved: false, message: 'it has this source already' }],
    });
    expect((await run('respond', 'one/1', 'true')).json()).toMatchObject({ outcome: 'accepted' });
    expect((await run('result', 'one')).json()).toMatchObject({ output: { n: 1, ok: true, note: 'new' } });
    const ended = await run('upgrade', 'one', '--source', 'refund.tac');
    expect(ended.code).toBe(1);
    expect(ended.json()).toMatchObject({ ended: 1, runs: [{ verdict: 'ended' }] });
  });

  it('moves all open runs of a procedure, so many at a time', async () => {
    for (const id of ['a', 'b', 'c']) await begin(id);
    const all = ['upgrade', '--procedure', 'refund', '--all', '--source', 'next/refund.tac'];
    expect((await run(...all, '--limit', '2')).json()).toMatchObject({ moved: 2 });
    const rest = await folder.runHere(all);
    expect(rest.code, rest.stderr).toBe(0);
    expect(rest.stdout).toContain('it has this source already');
    expect(rest.stdout).toContain("3 fit, 1 moved, 0 don't fit");
  });

  it.each([
    [['--source', 'next/refund.tac'], 'upgrade takes ids of runs, or --procedure NAME together with --all'],
    [
      ['--all', '--source', 'next/refund.tac'],
      'upgrade takes ids of runs, or --procedure NAME together with --all',
    ],
    [['a', '--all', '--procedure', 'refund', '--source', 'next/refund.tac'], 'upgrade takes ids of runs'],
    [['a'], 'upgrade needs --source'],
    [['a', '--source', 'next/refund.tac', '--limit', '0'], '--limit takes a positive integer, not 0'],
  ])('refuses %j', async (args, message) => {
    const refused = await run('upgrade', ...args);
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining(message) as unknown },
    });
  });

  it('says that there is no such run', async () => {
    const none = await run('upgrade', 'none', '--source', 'next/refund.tac');
    expect(none.code).toBe(2);
    expect(none.json()).toMatchObject({ error: { code: 'run_not_found' } });
  });
});
