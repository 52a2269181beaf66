import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { waitUntil } from '../../support/wait-until.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write(
    'digest.tac',
    'Procedure { input = { team = field.string{required = true} }, function(input) return "for " .. input.team end }\n',
  );
});
afterAll(() => folder?.close());

const create = (id: string, ...flags: string[]): ReturnType<CliFolder['run']> =>
  folder.runHere(['schedule', 'create', id, 'digest.tac', '--param', 'team=ops', ...flags]);

async function schedules(): Promise<JsonObject[]> {
  return (await folder.runHere(['schedule', 'list', '--json'])).json()['schedules'] as JsonObject[];
}

it('a schedule says when it starts runs, starts one now, and is deleted', async () => {
  const made = await create('monday', '--cron', '0 8 * * 1', '--timezone', 'Europe/Berlin', '--json');
  expect(made.code, made.stderr).toBe(0);
  const { next } = made.json() as { next: string[] };
  expect(next).toHaveLength(3);
  for (const time of next)
    expect(new Date(time)).toSatisfy((at: Date) => at.getUTCDay() === 1 && [6, 7].includes(at.getUTCHours()));

  const worker = await folder.worker();
  expect((await folder.runHere(['schedule', 'trigger', 'monday'])).stdout).toBe('monday triggered\n');
  let runs: string[] = [];
  await waitUntil(async () => {
    const [listed] = await schedules();
    runs = listed?.['runs'] as string[];
    return runs.length === 1;
  });
  expect(await schedules()).toMatchObject([{ schedule: 'monday', procedure: 'digest', paused: false }]);
  expect(runs[0]).toMatch(/^monday-\d{4}-/);
  expect((await folder.runHere(['result', runs[0] ?? ''])).stdout).toBe('for ops\n');
  await worker.stop();

  expect((await folder.runHere(['schedule', 'delete', 'monday'])).code).toBe(0);
  await waitUntil(async () => (await schedules()).length === 0);
});

it.each([
  [['--every', '1h', '--cron', '@daily'], 'needs --cron or --every'],
  [[], 'needs --cron or --every'],
  [['--cron', 'at eight'], 'The server rejects this schedule'],
  [['--every', 'often'], '--every must be a duration'],
  [['--every', '2.5s'], '--every takes whole seconds, and 2.5s is none'],
  [['--every', '500ms'], '--every must be'],
  [['--every', '1h', '--param', 'tem=x'], 'tem'],
])('what can not be scheduled is refused: %j', async (flags, message) => {
  const refused = await create('wrong', ...flags);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) as string });
});

it('a schedule that is there, or not there, is told', async () => {
  expect((await create('twice', '--every', '12h')).code).toBe(0);
  const again = await create('twice', '--every', '12h');
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is a schedule twice already') as string,
  });
  const gone = await folder.runHere(['schedule', 'delete', 'nothing']);
  expect(gone).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no schedule nothing') as string,
  });
});
