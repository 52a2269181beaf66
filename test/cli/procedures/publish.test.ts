import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { defaultTaskQueue, workflowType } from '../../../src/contract/names.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const saying = (text: string): string => `Procedure { function() return "${text}" end }\n`;

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('first.tac', saying('first'));
  folder.write('second.tac', saying('second'));
  folder.write('broken.tac', 'Procedure {\n');
  folder.write('other.tac', saying('other'));
  folder.write('other.tac.yml', 'default_model: local/small\n');
});
afterAll(() => folder?.close());

const command = (line: string): ReturnType<CliFolder['run']> => folder.runHere(line.split(' '));

async function versions(line: string): Promise<JsonObject[]> {
  const ended = await command(`${line} --json`);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.json()).toMatchObject({ name: 'review' });
  return ended.json()['versions'] as JsonObject[];
}

it('publishes, lists, promotes and rolls back, without a worker of its own', async () => {
  expect(await versions('publish review first.tac --as ann')).toMatchObject([
    { version: 1, share: 100, by: 'ann', digest: expect.stringMatching(/^sha256:/) as string },
  ]);
  expect(await versions('publish review second.tac --share 10%')).toMatchObject([
    { version: 1, share: 90 },
    { version: 2, share: 10, by: null },
  ]);
  expect(await versions('promote review 2')).toMatchObject([{ share: 0 }, { share: 100 }]);
  expect(await versions('rollback review --as ann')).toMatchObject([{ share: 100 }, { share: 0 }]);
  const listed = await command('publish list review');
  expect(listed.stdout).toMatch(
    /^version 2 {2}0 % {2}\d{4}-\S+ {2}sha256:\w+\nversion 1 {2}100 % {2}\d{4}-\S+ by ann {2}sha256:\w+\n$/,
  );
  const back = await command('promote review 2');
  expect(back.code, back.stderr).toBe(0);
  expect((await command('rollback review')).stderr).toContain('list --open --procedure review');
});

it('runs of the name begin with its version, which status and list show', async () => {
  await command('promote review 2');
  const worker = await folder.worker();
  const { address } = (await command('server status --json')).json() as { address: string };
  const connection = await Connection.connect({ address });
  const start = { args: [{ procedure: 'review' }], workflowId: 'review-1', taskQueue: defaultTaskQueue };
  const handle = await new Client({ connection }).workflow.start(workflowType, start);
  expect(await handle.result()).toBe('second');
  await connection.close();
  const published = { name: 'review', version: 2, share: 100 };
  expect((await command('status review-1 --json')).json()).toMatchObject({ procedure: 'review', published });
  expect((await command('status review-1')).stdout).toContain('version 2 (100 %)');
  const { runs } = (await command('list --procedure review --json')).json() as { runs: JsonObject[] };
  expect(runs).toMatchObject([{ run_id: 'review-1', published }]);
  expect((await command('list --procedure review')).stdout).toContain('version 2 (100 %)');
  await worker.stop();
});

it('says what of a procedure is not published', async () => {
  const ended = await command('publish other other.tac');
  expect(ended.stderr).toContain('other.tac.yml is not published');
});

it.each([
  ['publish broken broken.tac', 2, 'nothing was published'],
  ['publish ../x first.tac', 2, 'is no name of a procedure'],
  ['publish fresh first.tac --share 10%', 2, 'the first one is published without a share'],
  ['publish fresh first.tac --share some', 2, '--share takes a number of per cent'],
  ['publish fresh first.tac --share 0', 2, 'from 0.01 to 100'],
  ['publish fresh missing.tac', 2, 'There is no file missing.tac'],
  ['publish list fresh', 2, 'Nothing is published as "fresh"'],
  ['promote fresh 1', 2, 'Nothing is published as "fresh"'],
  ['promote review 9', 2, 'review has no version 9'],
  ['promote review one', 2, 'promote takes a positive integer'],
  ['rollback fresh', 2, 'Nothing is published as "fresh"'],
])('%s is refused', async (line, code, message) => {
  expect(await command(line)).toMatchObject({
    code,
    stderr: expect.stringContaining(message) as string,
  });
});
