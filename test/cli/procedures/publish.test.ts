import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { defaultTaskQueue, workflowType } from '../../../src/contract/names.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { waitUntil } from '../../support/wait-until.js';

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

it('rollback counts the open runs of what it ends, and the command that it names moves them alone', async () => {
  const asking = (text: string): string =>
    `Procedure { function() local yes = Human.approve("Go?") return yes and "${text}" end }\n`;
  folder.write('before.tac', asking('before'));
  folder.write('after.tac', asking('after'));
  await command('publish ask before.tac');
  const worker = await folder.worker();
  const { address } = (await command('server status --json')).json() as { address: string };
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  const start = async (workflowId: string): Promise<void> => {
    const taskQueue = defaultTaskQueue;
    await workflow.start(workflowType, { args: [{ procedure: 'ask' }], workflowId, taskQueue });
    await waitUntil(async () => (await command(`pending ${workflowId}`)).stdout.includes('Go?'));
  };
  await start('old');
  await command('publish ask after.tac');
  for (const run of ['new-1', 'new-2']) await start(run);
  const rolled = await command('rollback ask --json');
  expect(rolled.code, rolled.stderr).toBe(0);
  const { in_flight: flight } = rolled.json() as { in_flight: { runs: number; upgrade: string } };
  expect(flight.runs).toBe(2);
  expect(flight.upgrade).toMatch(/tactus-temporal.* upgrade --procedure ask --all --from 2 --to 1$/);
  expect(rolled.stderr).toContain(
    `2 open runs have what was rolled back. To move them to the version before: ${flight.upgrade}`,
  );
  const moved = await command(`${flight.upgrade.slice(flight.upgrade.indexOf('upgrade --'))} --json`);
  expect(moved.code, moved.stderr).toBe(0);
  const { runs } = moved.json() as { runs: { run_id: string }[] };
  expect(runs.map(({ run_id: id }) => id).sort()).toEqual(['new-1', 'new-2']);
  expect(moved.json()).toMatchObject({ fit: 2, moved: 2 });
  for (const run of ['old', 'new-1', 'new-2']) {
    await command(`respond ${run}/0 yes`);
    expect(await workflow.getHandle(run).result()).toBe('before');
  }
  await connection.close();
  expect((await command('promote ask 2')).code).toBe(0);
  expect((await command('rollback ask --json')).json()).toMatchObject({
    in_flight: { runs: 0, upgrade: null },
  });
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
  ['upgrade --procedure review --all --to 9', 2, 'review has no version 9'],
  ['upgrade --procedure review --all --to 1 --source first.tac', 2, 'upgrade needs --source'],
  ['upgrade review-1 --to 1', 2, 'upgrade needs --source'],
  ['rollback fresh', 2, 'Nothing is published as "fresh"'],
])('%s is refused', async (line, code, message) => {
  expect(await command(line)).toMatchObject({
    code,
    stderr: expect.stringContaining(message) as string,
  });
});

it('publishes prompts apart from code', async () => {
  folder.write('tell.tac', 'local tone = Prompt("tone", "kind") Procedure { function() return tone end }\n');
  folder.write('brief.json', '{"tone": "brief"}');
  folder.write('odd.json', '{"tune": "brief"}');
  await command('publish tell tell.tac');
  const { versions: both } = (await command('publish tell --prompts brief.json --json')).json();
  expect(both).toMatchObject([
    { version: 1, share: 0 },
    { version: 2, share: 100 },
  ]);
  const worker = await folder.worker();
  expect((await command('publish tell --prompts odd.json')).stderr).toContain('has the prompt "tune"');
  expect(await command('publish tell --prompts none.json')).toMatchObject({ code: 2 });
  expect((await command('publish tell')).stderr).toContain('publish needs a FILE');
  await worker.stop();
  folder.write('tell.prompts.json', '{"tone": "beside it"}');
  const run = await command('run tell.tac --json');
  expect(run.json()).toMatchObject({ output: 'beside it' });
});
