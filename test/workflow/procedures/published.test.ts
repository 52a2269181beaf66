import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { expect, it } from 'vitest';
import { recordOf } from '../../../src/client/procedures/published-sources.js';
import { listRuns } from '../../../src/client/lists/list-runs.js';
import { viewRun } from '../../../src/client/runs/view-run.js';
import { defaultTaskQueue, publishedType, updateNames, workflowType } from '../../../src/contract/names.js';
import { mostVersions } from '../../../src/contract/procedures/publish-change.js';
import { publishedSourceId, publishedWorkflowId } from '../../../src/contract/procedures/published.js';
import { sourceHash, type ProcedureSource } from '../../../src/contract/procedures/source.js';
import type { PublishedProcedure } from '../../../src/index.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { replayHistories, replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

const folder = temporaryFolder('published');
writeFileSync(join(folder, 'greet.tac'), 'Procedure { function() return "of the folder" end }');

const server = serverWithWorker(startDevServer, { activities: { procedureFolders: [folder] } });

/** A source that gives a text, as a procedure of any name. */
function saying(text: string, more = ''): ProcedureSource {
  const entry = 'greet.tac';
  const lua = `Procedure { input = { who = field.string{default = "you"} }, function(input) return "${text} " .. input.who end }`;
  return { entry, files: { [entry]: `${lua} ${more}` } };
}

let count = 0;

/** Started as any Temporal client does it. */
async function start(procedure: string, workflowId = `by-name-${++count}`): Promise<unknown> {
  const options = { args: [{ procedure }], workflowId, taskQueue: defaultTaskQueue };
  const handle = await server.client.workflow.start(workflowType, options);
  return handle.result();
}

function sharesOf({ versions }: PublishedProcedure): [version: number, share: number][] {
  return versions.map(({ version, share }) => [version, share]);
}

it('gives the published source to whoever starts a run by the name, before the folder of the worker', async () => {
  const { published } = server.tactus;
  expect(await start('greet')).toBe('of the folder');
  await expect(published.read('greet')).rejects.toMatchObject({ code: 'source_not_found' });
  const source = saying('hello');
  const first = await published.publish('greet', source, { by: 'ann' });
  expect(first).toEqual({
    name: 'greet',
    versions: [
      {
        ...{ version: 1, digest: `sha256:${sourceHash(source)}`, share: 100, by: 'ann' },
        published_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    ],
  });
  expect(await published.read('greet')).toEqual(first);
  expect(await start('greet')).toBe('hello you');
  expect(await start('greet.tac')).toBe('hello you');
  await published.publish('greet', saying('good morning'));
  expect(await start('greet')).toBe('good morning you');
  expect(sharesOf(await published.rollback('greet'))).toEqual([
    [1, 100],
    [2, 0],
  ]);
  expect(await start('greet')).toBe('hello you');
  await expect(published.rollback('greet')).rejects.toMatchObject({
    ...{ code: 'change_refused', message: expect.stringContaining('no version to go back to') as string },
  });
  expect(sharesOf(await published.promote('greet', 2))).toEqual([
    [1, 0],
    [2, 100],
  ]);
  await expect(published.promote('greet', 9)).rejects.toMatchObject({ code: 'change_refused' });
  expect(await start('greet')).toBe('good morning you');
});

it('records the version and its share in the run, and shows them', async () => {
  const { published } = server.tactus;
  await published.publish('shown', saying('first'));
  await published.publish('shown', saying('second'), { share: 30 });
  const ids = Array.from({ length: 40 }, (_, i) => `shown-${i}`);
  const outputs = await Promise.all(ids.map((id) => start('shown', id)));
  for (const [i, id] of ids.entries()) {
    const view = await viewRun(server.tactus.attach(id));
    const version = outputs[i] === 'second you' ? 2 : 1;
    expect(view.published, id).toEqual({ name: 'shown', version, share: version === 2 ? 30 : 70 });
    expect(view.procedure).toBe('shown');
  }
  const second = outputs.filter((output) => output === 'second you').length;
  expect(second).toBeGreaterThan(3);
  expect(second).toBeLessThan(25);
  // The id decides, and nothing else: the same ids are started again in the same version.
  for (const [i, id] of ids.entries()) {
    const found = await published.find('shown', id);
    expect(found?.as.version, id).toBe(outputs[i] === 'second you' ? 2 : 1);
  }
  await waitUntil(
    async () => (await listRuns(server.client, { limit: 50, procedure: 'shown' })).runs.length === 40,
  );
  const { runs } = await listRuns(server.client, { limit: 50, procedure: 'shown' });
  expect(runs.filter((run) => run.published?.version === 2)).toHaveLength(second);
  expect(await replayRun(server.client, { runId: 'shown-0' })).toEqual([]);
});

it('never asks again: a run that waits keeps its version through rollbacks and continue-as-new', async () => {
  const { published, client } = server.tactus;
  const entry = 'asks.tac';
  const lua = (text: string) =>
    `Procedure { function() for i = 1, 40 do checkpoint(function() return i end) Human.notify{message = "n"} end local ok = Human.approve("Go?") return "${text}" end }`;
  const asking = (text: string) => ({ entry, files: { [entry]: lua(text) } });
  await published.publish('asks', asking('old'));
  const limits = { historyEvents: 15 };
  await client.workflow.start(workflowType, {
    args: [{ procedure: 'asks', limits }],
    ...{ workflowId: 'asks-1', taskQueue: defaultTaskQueue },
  });
  const run = server.tactus.attach('asks-1');
  await waitUntil(async () => (await run.status()).status === 'waiting_for_human');
  await published.publish('asks', asking('new'));
  const [request] = await run.pending();
  await server.tactus.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe('old');
  expect(await run.status()).toMatchObject({ published: { name: 'asks', version: 1, share: 100 } });
  const histories = await historiesOf(server.client, 'asks-1');
  expect(failedTasks(histories)).toEqual([]);
  const replayed = await replayHistories(histories.map((history) => ({ workflowId: 'asks-1', history })));
  expect(replayed).toEqual([]);
});

it('publishes nothing that could never run', async () => {
  const { published } = server.tactus;
  const text = (lua: string): ProcedureSource => ({ entry: 'bad.tac', files: { 'bad.tac': lua } });
  await expect(published.publish('bad', text('Procedure {'))).rejects.toMatchObject({
    code: 'source_invalid',
  });
  await expect(published.publish('bad', text('local a = 1'))).rejects.toMatchObject({ code: 'no_procedure' });
  await expect(published.publish('../bad', saying('x'))).rejects.toMatchObject({ code: 'usage' });
  await expect(published.publish('bad', saying('x'), { share: 0 })).rejects.toMatchObject({ code: 'usage' });
  await expect(published.publish('bad', saying('x'), { share: 101 })).rejects.toMatchObject({
    code: 'usage',
  });
  const large = saying('x', `-- ${'x'.repeat(1_400_000)}`);
  await expect(published.publish('bad', large)).rejects.toMatchObject({ code: 'payload_too_large' });
  await expect(published.read('bad')).rejects.toMatchObject({ code: 'source_not_found' });
  await expect(published.rollback('bad')).rejects.toMatchObject({ code: 'source_not_found' });
  await expect(published.promote('bad', 1)).rejects.toMatchObject({ code: 'source_not_found' });
  await expect(published.publish('bad', saying('x'), { share: 10 })).rejects.toMatchObject({
    ...{ code: 'change_refused', message: expect.stringContaining('first one') as string },
  });
  // Nothing was started for it either.
  const handle = server.client.workflow.getHandle(publishedWorkflowId('bad'));
  await expect(handle.describe()).rejects.toThrow(/not found/i);
});

it('refuses the same from whatever client, with nothing in history', async () => {
  const send = (change: unknown) =>
    server.client.workflow.executeUpdateWithStart(updateNames.publish, {
      args: [change],
      startWorkflowOperation: new WithStartWorkflowOperation(publishedType, {
        ...{ args: [{ name: 'raw' }], workflowId: publishedWorkflowId('raw'), taskQueue: defaultTaskQueue },
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    });
  const digest = `sha256:${'0'.repeat(32)}`;
  const source = 'tactus-published-source/none';
  for (const change of [
    undefined,
    1,
    {},
    { kind: 'publish' },
    { kind: 'publish', source: 'greet-1', digest },
  ])
    await expect(send(change)).rejects.toMatchObject({ cause: { type: 'usage' } });
  const [history] = await historiesOf(server.client, publishedWorkflowId('raw'));
  expect(failedTasks([history ?? {}])).toEqual([]);
  expect(history?.events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toBe(false);
  // Of a source that isn't there, no version is made.
  await expect(send({ kind: 'publish', source, digest })).rejects.toMatchObject({
    cause: { type: 'source_not_found' },
  });
  await expect(server.tactus.published.read('raw')).rejects.toMatchObject({ code: 'source_not_found' });
});

it('a workflow of another name than its id fails, and blocks nobody', async () => {
  for (const args of [[{ name: 'other' }], [{}], [], [null]]) {
    const workflowId = publishedWorkflowId('mine');
    const handle = await server.client.workflow.start(publishedType, {
      ...{ args, workflowId, taskQueue: defaultTaskQueue },
    });
    await expect(handle.result()).rejects.toThrow(/failed/);
  }
  await server.tactus.published.publish('mine', saying('mine'));
  expect(await start('mine')).toBe('mine you');
});

it('takes two publishes at once, and each order once', async () => {
  const { published } = server.tactus;
  const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
  await Promise.all(texts.map((text) => published.publish('racing', saying(text))));
  const { versions } = await published.read('racing');
  expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(new Set(versions.map(({ digest }) => digest)).size).toBe(8);
  expect(versions.map(({ share }) => share)).toEqual([0, 0, 0, 0, 0, 0, 0, 100]);
  // Both saw the same version at the top: it is ended once.
  await Promise.all([published.rollback('racing'), published.rollback('racing')]);
  expect((await published.read('racing')).versions.findLast(({ share }) => share === 100)?.version).toBe(7);
  // What is there already is no other version.
  const newest = texts.find((text) => versions.at(-1)?.digest === `sha256:${sourceHash(saying(text))}`) ?? '';
  const again = await published.publish('racing', saying(newest));
  expect(sharesOf(again).at(-1)).toEqual([8, 100]);
});

it('takes large sources, several at once', async () => {
  const { published } = server.tactus;
  const large = (text: string): ProcedureSource => {
    const { entry, files } = saying(text);
    const more = `-- ${'x'.repeat(450_000)}`;
    return { entry, files: { ...files, 'a.tac': more, 'b.tac': more, 'c.tac': more } };
  };
  const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(texts.map((text) => published.publish('large', large(text))));
  const { versions } = await published.read('large');
  const newest = texts.find((text) => `sha256:${sourceHash(large(text))}` === versions.at(-1)?.digest);
  expect(versions).toHaveLength(texts.length);
  expect(await start('large')).toBe(`${newest} you`);
  const histories = await historiesOf(server.client, publishedWorkflowId('large'));
  expect(failedTasks(histories)).toEqual([]);
});

it('keeps as many versions as it may, over many executions, and the sources of those alone', async () => {
  const { published, client } = server.tactus;
  const sourceOf = async (version: number): Promise<string> => {
    const record = await recordOf(client, 'long');
    return record?.versions.find((each) => each.version === version)?.source ?? '';
  };
  const statusOf = async (id: string) => (await client.workflow.getHandle(id).describe()).status.name;
  for (let i = 1; i <= 5; i++) await published.publish('long', saying(`text ${i}`));
  const [third, fourth] = [await sourceOf(3), await sourceOf(4)];
  for (let i = 6; i <= mostVersions + 3; i++) await published.publish('long', saying(`text ${i}`));
  // Each execution takes so many orders.
  for (let i = 0; i < 170; i++) await published.promote('long', 5 + (i % 2));
  const { versions } = await published.read('long');
  expect(versions).toHaveLength(mostVersions);
  expect(versions[0]?.version).toBe(4);
  expect(await start('long')).toBe('text 6 you');
  await waitUntil(async () => (await statusOf(third)) === 'CANCELLED');
  expect(await statusOf(fourth)).toBe('RUNNING');
  await published.publish('long', saying('last'));
  expect(await start('long')).toBe('last you');
  const histories = await historiesOf(client, publishedWorkflowId('long'));
  expect(histories.length).toBeGreaterThan(1);
  expect(failedTasks(histories)).toEqual([]);
  const named = histories.map((history) => ({ workflowId: publishedWorkflowId('long'), history }));
  expect(await replayHistories(named)).toEqual([]);
}, 120_000);

it('what becomes no version leaves no source behind', async () => {
  const { published, client } = server.tactus;
  const id = (text: string) => `left-${text}`;
  await published.publish('left', saying('a'), { id: id('a') });
  await published.publish('left', saying('a'), { id: id('same') });
  await published.publish('left', saying('b'), { id: id('b') });
  await published.publish('left', saying('c'), { id: id('c'), share: 60 });
  await expect(published.publish('left', saying('d'), { id: id('d'), share: 60 })).rejects.toMatchObject({
    code: 'change_refused',
  });
  const statuses = async () =>
    Promise.all(
      ['a', 'same', 'b', 'c', 'd'].map(async (text) => {
        const handle = client.workflow.getHandle(publishedSourceId(id(text)));
        return (await handle.describe()).status.name;
      }),
    );
  const expected = ['RUNNING', 'CANCELLED', 'RUNNING', 'RUNNING', 'CANCELLED'];
  await waitUntil(async () => (await statuses()).join() === expected.join());
  // An order that is sent again is done once.
  expect(sharesOf(await published.rollback('left', { id: 'once' }))).toEqual([
    [1, 0],
    [2, 100],
    [3, 0],
  ]);
  expect(sharesOf(await published.rollback('left', { id: 'once' })).at(1)).toEqual([2, 100]);
});

it('a name that is taken back is the folder’s again', async () => {
  const { published, client } = server.tactus;
  await published.publish('greet', saying('published'));
  await client.workflow.getHandle(publishedWorkflowId('greet')).cancel();
  await waitUntil(async () => (await start('greet')) === 'of the folder');
  expect((await published.publish('greet', saying('anew'))).versions).toHaveLength(1);
  expect(await start('greet')).toBe('anew you');
});

it('starts a run of a published procedure by TactusClient, which looks at its input first', async () => {
  const { published } = server.tactus;
  await published.publish('team/greet', saying('team'));
  const run = await published.start('team/greet', { who: 'Ann' }, { runId: 'team-1' });
  expect(await run.result()).toBe('team Ann');
  expect(await run.status()).toMatchObject({
    procedure: 'team/greet',
    published: { version: 1, share: 100 },
  });
  await expect(published.start('team/greet', { whom: 'x' })).rejects.toMatchObject({ code: 'input_invalid' });
  // The id stays that of its run, whatever is published since.
  await published.publish('team/greet', saying('another'));
  const again = await published.start('team/greet', { who: 'Ann' }, { runId: 'team-1' });
  expect(await again.result()).toBe('team Ann');
  await expect(published.start('nowhere')).rejects.toMatchObject({ code: 'source_not_found' });
});

it('publishes prompts apart from code: on trial, and until they are rolled back', async () => {
  const { published } = server.tactus;
  const code = (more: string): ProcedureSource => ({
    entry: 'tell.tac',
    files: {
      'tell.tac': `local tone = Prompt("tone", "kind") Procedure { function() return tone .. "${more}" end }`,
    },
  });
  await published.publish('tell', code('!'));
  expect(await start('tell')).toBe('kind!');
  await expect(published.publishPrompts('tell', { tune: 'brief' })).rejects.toMatchObject({
    code: 'source_invalid',
  });
  await expect(published.publishPrompts('untold', { tone: 'brief' })).rejects.toMatchObject({
    code: 'source_not_found',
  });
  const third = await published.publish('tell', code('?'), { share: 10 });
  expect(sharesOf(third)).toEqual([
    [1, 90],
    [2, 10],
  ]);
  // The code is that of the version that the others begin with.
  const tried = await published.publishPrompts('tell', { tone: 'brief' }, { share: 50 });
  expect(sharesOf(tried)).toEqual([
    [1, 40],
    [2, 10],
    [3, 50],
  ]);
  await published.promote('tell', 3);
  expect(await start('tell')).toBe('brief!');
  await published.rollback('tell');
  expect(await start('tell')).toBe('kind!');
});
