import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** What commands say with `--dry-run`, and that nothing has changed after it. Those that show a plan: `test/cli/changes`. */

let folder: CliFolder;
beforeAll(async () => {
  folder = cliFolder();
  folder.write('ask.tac', 'Procedure { function() return { name = Human.input("Your name?") } end }\n');
  folder.write('first.tac', 'Procedure { function() return "first" end }\n');
  folder.write('second.tac', 'Procedure { function() return "second" end }\n');
  // Nobody listens on the port of `discard`.
  folder.write('fails.tac', 'Procedure { function() return http_client.get("http://127.0.0.1:9/") end }\n');
  expect((await folder.runHere(['run', 'ask.tac', '--id', 'r-1'])).code).toBe(3);
  expect((await folder.runHere(['run', 'first.tac', '--id', 'r-2'])).code).toBe(0);
  expect((await folder.runHere(['run', 'fails.tac', '--id', 'r-3'])).code).toBe(1);
});
afterAll(() => folder?.close());

async function answer(args: readonly string[], code = 0): Promise<JsonObject> {
  const ended = await folder.runHere([...args, '--json']);
  expect(ended.code, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(code);
  return ended.json();
}

/** All that the commands below could have changed. */
async function everything(): Promise<JsonObject[]> {
  const looks = ['status r-1', 'status r-3', 'score list r-1', 'hold list', 'schedule list', 'dlq list'];
  const found: JsonObject[] = [];
  for (const line of looks) found.push(await answer(line.split(' ')));
  return found;
}

describe('--dry-run', () => {
  it.each<[line: string, would: string | RegExp, told: JsonObject]>([
    ['cancel r-1 --reason late', 'cancel r-1', { run_id: 'r-1' }],
    ['terminate r-1', 'terminate r-1', { run_id: 'r-1' }],
    ['pause r-1 --as ann --reason lunch', 'pause r-1', { run_id: 'r-1', by: 'ann', reason: 'lunch' }],
    ['unpause r-1', 'unpause r-1', { run_id: 'r-1' }],
    ['send r-1 paid {"n":1}', 'send paid to r-1', { run_id: 'r-1', event: 'paid', value: { n: 1 } }],
    ['steer r-1 brief --as ann', 'say this to an agent of r-1', { message: 'brief', by: 'ann' }],
    ['respond r-1/0 Ada --as ann', 'decide r-1/0 as ann: "Ada"', { decision: { value: 'Ada', by: 'ann' } }],
    ['control --respond Ada --as ann', 'decide r-1/0 as ann: "Ada"', { run_id: 'r-1' }],
    ['delegate r-1/0 bob --as ann', 'delegate r-1/0 to bob as ann', { decision: { to: 'bob' } }],
    ['withdraw r-1/0 --as ann', 'withdraw r-1/0 as ann', { decision: { action: 'withdraw' } }],
    ['score r-1 quality 0.8', 'score r-1: quality 0.8', { name: 'quality', value: 0.8, scores: [] }],
    ['hold add tool:x --reason y --as ann', 'hold tool:x', { target: 'tool:x', held: null, by: 'ann' }],
    ['hold release tool:x', 'release tool:x', { target: 'tool:x', held: null }],
    ['schedule create nightly ask.tac --every 1h', 'create the schedule nightly', { everyMs: 3_600_000 }],
    ['dlq requeue r-3/0', 'try r-3/0 again', { id: 'r-3/0', state: 'dead' }],
    ['dlq drop r-3/0', 'drop r-3/0', { id: 'r-3/0', state: 'dead' }],
    ['index rebuild', /^delete the index of \d+ runs, and rebuild it$/, {}],
  ])('of %s changes nothing, and says what would be done', async (line, would, told) => {
    const before = await everything();
    const args = line.split(' ');
    const said = await answer([...args, '--dry-run']);
    expect(said).toMatchObject({ dry_run: true, ...told });
    expect(said['would']).toMatch(would);
    const text = await folder.runHere([...args, '--dry-run']);
    expect(text.stdout).toBe(`Would ${said['would'] as string}.\n`);
    expect(await everything()).toEqual(before);
  });

  it.each([
    ['cancel gone', 'run_not_found'],
    ['cancel r-2', 'run_conflict'],
    ['terminate r-2', 'run_conflict'],
    ['pause r-2', 'run_conflict'],
    ['send r-2 paid', 'run_conflict'],
    ['steer r-2 brief', 'run_conflict'],
    ['respond r-1/7 Ada', 'request_unknown'],
    ['dlq drop r-1/0', 'dead_letter_unknown'],
    ['schedule delete nightly', 'run_not_found'],
    ['promote review 1', 'source_not_found'],
  ])('of %s is refused, as the command would be', async (line, code) => {
    const { error } = (await answer([...line.split(' '), '--dry-run'], 2)) as { error: { code: string } };
    expect(error.code).toBe(code);
  });

  it('says what publishing would come to', async () => {
    const versions = async (line: string): Promise<unknown[]> =>
      ((await answer(line.split(' ')))['versions'] as JsonObject[]).map(({ version, share }) => [
        version,
        share,
      ]);
    expect(await versions('publish review first.tac --dry-run')).toEqual([[1, 100]]);
    expect((await folder.runHere(['publish', 'list', 'review'])).code).toBe(2);
    await answer(['publish', 'review', 'first.tac']);
    const planned = [
      [1, 90],
      [2, 10],
    ];
    expect(await versions('publish review second.tac --share 10% --dry-run')).toEqual(planned);
    expect(await versions('publish list review')).toEqual([[1, 100]]);
    expect(await versions('publish review second.tac --share 10%')).toEqual(planned);
    expect(await versions('promote review 2 --dry-run')).toEqual([
      [1, 0],
      [2, 100],
    ]);
    expect(await versions('rollback review --dry-run')).toEqual([
      [1, 100],
      [2, 0],
    ]);
    expect(await versions('publish list review')).toEqual(planned);
    const text = await folder.runHere(['promote', 'review', '2', '--dry-run']);
    expect(text.stdout).toMatch(/^It would come to:\nversion 2 {2}100 %/);
  });

  it('of a schedule says what it is', async () => {
    await answer(['schedule', 'create', 'hourly', 'first.tac', '--every', '1h']);
    const told = { dry_run: true, schedule: 'hourly', procedure: 'first' };
    expect(await answer(['schedule', 'delete', 'hourly', '--dry-run'])).toMatchObject(told);
    expect(await answer(['schedule', 'trigger', 'hourly', '--dry-run'])).toMatchObject(told);
    expect(await answer(['schedule', 'list'])).toMatchObject({
      schedules: [{ schedule: 'hourly', runs: [] }],
    });
    const again = ['schedule', 'create', 'hourly', 'first.tac', '--every', '2h', '--dry-run'];
    expect(await answer(again, 2)).toMatchObject({ error: { code: 'run_conflict' } });
  });
});
