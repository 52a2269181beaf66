import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;

beforeAll(async () => {
  folder = cliFolder();
  folder.write('.tactus/config.yml', 'groups:\n  finance: [ann, bob]\n');
  folder.write(
    'pay.tac',
    `Procedure { function()
      local ok, paid = pcall(Human.approve, {
        message = "Pay?", approvers = "group:finance", quorum = 2, requester = "zoe",
        timeout = "2d", escalate_to = { { to = "cfo", timeout = "1d" } }, on_timeout = "error",
      })
      return { ok = ok, paid = tostring(paid) }
    end }`,
  );
  for (const id of ['one', 'two'])
    expect((await folder.runHere(['run', 'pay.tac', '--id', id, '--json'])).code).toBe(3);
});
afterAll(() => folder.close());

async function said(...args: string[]): Promise<[number | null, JsonObject]> {
  const ended = await folder.runHere([...args, '--json']);
  return [ended.code, ended.json()];
}

it('shows how many must agree, who has, who may not, and who is asked next', async () => {
  expect(await said('respond', 'one/0', 'y', '--as', 'zoe')).toMatchObject([2, { outcome: 'not_allowed' }]);
  expect(await said('respond', 'one/0', 'y', '--as', 'ann')).toMatchObject([
    0,
    { outcome: 'accepted', message: 'counted: 1 of 2 say true' },
  ]);
  const { stdout } = await folder.runHere(['pending', 'one']);
  expect(stdout).toContain('to be decided by: ann, bob (--as NAME)');
  expect(stdout).toContain('2 people must agree; ann says true');
  expect(stdout).toContain('asked by zoe, who may not decide');
  expect(stdout).toMatch(/then asked, from 20.+Z: cfo/);
  expect(stdout).toMatch(/until 20.+Z, then an error/);
});

it('hands a request on', async () => {
  expect(await said('delegate', 'one/0', 'eve', '--as', 'ann')).toMatchObject([
    2,
    { outcome: 'not_allowed' },
  ]);
  expect(await said('delegate', 'one/0', 'eve', '--as', 'bob', '--comment', 'away')).toMatchObject([
    0,
    { outcome: 'accepted', message: 'handed to "eve"' },
  ]);
  expect((await folder.runHere(['pending', 'one'])).stdout).toContain('bob has handed it to eve');
  expect(await said('respond', 'one/0', 'y', '--as', 'eve')).toMatchObject([0, { outcome: 'accepted' }]);
  expect(await said('result', 'one')).toMatchObject([0, { output: { ok: true, paid: 'true' } }]);
});

it('says of a filter that nothing matches it, and how many others there are', async () => {
  const none = await folder.runHere(['pending', '--procedure', 'nobody']);
  expect(none.stdout).toBe(
    'no request matches the flags; 1 other request is open: npx tactus-temporal pending\n',
  );
  expect(await said('pending', '--procedure', 'nobody')).toMatchObject([0, { pending: [], others: 1 }]);
  expect((await folder.runHere(['pending', '--for', 'mia'])).stdout).not.toContain('nothing is asked');
});

it('asks nobody at a terminal what only others may decide, nor shows it to them', async () => {
  folder.write(
    'secret.tac',
    `Procedure { function()
      local asked = { ["Fire Bob?"] = { "cfo" }, ["More coffee?"] = { "mia", "cfo" } }
      Parallel.map({ "Fire Bob?", "More coffee?" }, function(message)
        return Human.approve { message = message, approvers = asked[message] }
      end)
      return {}
    end }`,
  );
  const terminal = folder.terminal(['run', 'secret.tac', '--id', 'secret', '--as', 'mia']);
  await terminal.shows('More coffee?');
  terminal.type('y');
  expect(await terminal.ended).toBe(3);
  const screen = terminal.screen();
  expect(screen).not.toContain('Fire Bob?');
  expect(screen).toMatch(/secret\/\S+ \(approval\) is not for mia to decide; asked: cfo/);
  const { stdout } = await folder.runHere(['pending', 'secret']);
  const [command = ''] = /respond secret\S+ y --as cfo/.exec(stdout) ?? [];
  expect(await said(...command.split(' '))).toMatchObject([0, { outcome: 'accepted' }]);
});

it('takes a request back', async () => {
  expect(await said('withdraw', 'two/0', '--as', 'ann')).toMatchObject([2, { outcome: 'not_allowed' }]);
  expect(await said('withdraw', 'two/0', '--as', 'zoe', '--comment', 'no need')).toMatchObject([
    0,
    { outcome: 'accepted' },
  ]);
  const [code, view] = await said('result', 'two');
  expect([code, view['output']]).toEqual([
    0,
    { ok: false, paid: expect.stringContaining('Pay?: zoe took the request back: no need') as string },
  ]);
  expect(await said('withdraw', 'two/0', '--as', 'zoe')).toMatchObject([0, { outcome: 'duplicate' }]);
  expect((await folder.runHere(['withdraw', 'two'])).code).toBe(2);
});
