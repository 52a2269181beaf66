import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { waitUntil } from '../../support/wait-until.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** `pending` has all that is asked, or says what it lacks. */

const ids = ['one', 'two', 'three', 'four'];
let folder: CliFolder;
let hung: ChildProcess | undefined;

beforeAll(async () => {
  folder = cliFolder();
  folder.write('ask.tac', 'function main() return Human.approve("Sure?") end');
  for (const id of ids) expect((await folder.runHere(['run', 'ask.tac', '--id', id, '--json'])).code).toBe(3);
});
afterAll(async () => {
  hung?.kill('SIGKILL');
  await folder?.close();
});

async function asked(): Promise<string[]> {
  const ended = await folder.runHere(['pending', '--json']);
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
  const { pending, ...rest } = ended.json() as { pending: JsonObject[] };
  expect(rest).toEqual({ source: 'index' });
  return pending.map(({ id }) => id as string).sort();
}

const all = ids.map((id) => `${id}/0`).sort();

it('is whole where its own worker has to replay all runs', async () => {
  expect(await asked()).toEqual(all);
});

it('says whose run asks, and for how long, and leaves out what flags do', async () => {
  folder.write(
    'others.tac',
    'Procedure { function() Parallel{ function() Human.input("Why?") end, function() Human.approve{ message = "Pay?", approvers = {"ada"} } end } end }',
  );
  expect((await folder.runHere(['run', 'others.tac', '--id', 'five', '--json'])).code).toBe(3);
  const some = async (...flags: string[]): Promise<string[]> => {
    const { pending } = (await folder.runHere(['pending', ...flags, '--json'])).json() as {
      pending: JsonObject[];
    };
    return pending.map(({ message }) => message as string).sort();
  };
  expect(await some('--procedure', 'others')).toEqual(['Pay?', 'Why?']);
  expect(await some('--procedure', 'others', '--for', 'bob')).toEqual(['Why?']);
  expect(await some('--text', 'PAY')).toEqual(['Pay?']);
  expect(await some('five', '--text', 'why')).toEqual(['Why?']);
  expect(await some('five', '--kind', 'approval', '--for', 'ada')).toEqual(['Pay?']);
  expect(await some('--older-than', '1h')).toEqual([]);
  expect((await folder.runHere(['pending', '--older-than', 'long'])).code).toBe(2);
  const shown = await folder.runHere(['pending', '--kind', 'input']);
  expect(shown.stdout).toMatch(/^input: Why\?\n {2}others · asked \d+ s ago\n/);
  expect(shown.stderr).toContain('5 more that the flags leave out');
  const [request] = (await folder.runHere(['pending', 'five', '--json', '--details'])).json()[
    'pending'
  ] as JsonObject[];
  expect(request).toMatchObject({ procedure: 'others', age_seconds: expect.any(Number) as number });
  expect((await folder.runHere(['terminate', 'five'])).code).toBe(0);
});

it('is whole where the worker of another process hangs, and it takes one of its own', async () => {
  hung = folder.start(['worker']);
  await new Promise<void>((works) => {
    hung?.stderr?.on('data', (data: Buffer) => {
      if (data.toString().includes('Working for')) works();
    });
  });
  // The server has heard of it, too.
  await waitUntil(async () => (await folder.runHere(['doctor'])).stdout.includes('polls "tactus"'));
  hung.kill('SIGSTOP');
  expect(await asked()).toEqual(all);
});

it('says which runs it could not ask, and why, where no worker answers', async () => {
  hung?.kill('SIGKILL');
  const { address } = (await folder.runHere(['server', 'status', '--json'])).json() as { address: string };
  const ended = await folder.runHere(['pending', '--json', '--address', address, '--task-queue', 'nobody']);
  expect(ended.code).toBe(4);
  const reason = expect.stringContaining('No worker answers') as string;
  const missing = ids.map((run_id) => ({ run_id, reason }));
  expect(ended.json()).toEqual({
    source: 'runs',
    pending: [],
    missing: expect.arrayContaining(missing) as JsonObject[],
  });
});
