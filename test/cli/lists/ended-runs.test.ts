import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** Commands that show an ended run read it from the index, and say the same as by a worker. */

let folder: CliFolder;
let connection: Connection;

beforeAll(async () => {
  folder = cliFolder();
  folder.write(
    'steps.tac',
    `Procedure { input = { fails = field.boolean{default = false} }, function(input)
      state.seen = {1, 2}
      print("to be read")
      Step.checkpoint(function() return "of the log" end)
      if input.fails then error("as it was told") end
      return { out = 1 }
    end }`,
  );
  await folder.run(['run', 'steps.tac', '--id', 'done']);
  await folder.run(['run', 'steps.tac', '--id', 'failed', '--input', '{"fails": true}']);
  const { address } = (await folder.runHere(['server', 'status', '--json'])).json();
  connection = await Connection.connect({ address: address as string });
});
afterAll(async () => {
  await connection?.close();
  await folder?.close();
});

/** The server remembers whoever has asked it for tasks. */
async function workers(): Promise<string[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    ...{ namespace: 'default', taskQueue: { name: 'tactus' }, taskQueueType: 1 },
  });
  return (pollers ?? []).map(({ identity }) => identity ?? '').sort();
}

const commands = ['done', 'failed'].flatMap((id) => [
  ['status', id],
  ['result', id],
  ['state', id],
  ['log', id],
  ['log', id, '--all'],
  ['pending', id],
]);

async function shown(): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const args of commands) {
    const { code, stderr, json } = await folder.run([...args, '--json']);
    all[args.join(' ')] = { code, stderr, document: json() };
  }
  return all;
}

it('shows ended runs without a worker, as a worker shows them', async () => {
  const before = await workers();
  const fromIndex = await shown();
  expect(await workers()).toEqual(before);
  expect(fromIndex['status done']).toMatchObject({
    document: { status: 'completed', output: { out: 1 }, state: { seen: [1, 2] }, printed: ['to be read'] },
  });
  expect(fromIndex['log failed']).toMatchObject({
    document: { status: 'failed', execution_log: [{ result: 'of the log' }] },
  });

  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(folder.path, '.tactus-temporal', `index.sqlite${suffix}`), { force: true });
  expect(await shown()).toEqual(fromIndex);
  expect((await workers()).length).toBeGreaterThan(before.length);
}, 240_000);
