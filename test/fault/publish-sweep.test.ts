import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../src/client/tactus-client.js';
import { workflowType } from '../../src/contract/names.js';
import { publishedSourceId, publishedWorkflowId } from '../../src/contract/procedures/published.js';
import { sourceHash, type ProcedureSource } from '../../src/contract/procedures/source.js';
import { startChildWorker } from '../support/child-worker.js';
import { failedTasks, historiesOf } from '../support/histories.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker } from '../support/test-worker.js';
import { eachOf } from './each-of.js';

/** At every which of the boundaries the worker is killed, and from which on: see `kill-sweep.test.ts`. */
const killEvery = Number(process.env['KILL_EVERY'] ?? 30);
const killFrom = Number(
  process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % killEvery),
);
const atOnce = 2;
const runsAtOnce = 3;

let server: TestServer;

beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

function saying(text: string): ProcedureSource {
  const lua = `Procedure { function() return checkpoint(function() return "${text}" end) end }`;
  return { entry: 'say.tac', files: { 'say.tac': lua } };
}

const texts = ['one', 'two', 'three'];
/** What runs of a version give, by its digest. */
const textOf = new Map(texts.map((text) => [`sha256:${sourceHash(saying(text))}`, text]));

/** Publishes, promotes and rolls back while runs begin, with a worker that dies at a boundary. Gives its boundaries; null: it died. */
async function publishUnderLoad(name: string, killAt?: number): Promise<number | null> {
  const { client } = server;
  const filesRoot = temporaryFolder(name);
  const child = await startChildWorker({
    ...{ address: server.env.address, taskQueue: name, filesRoot },
    ...(killAt === undefined ? {} : { killAt }),
  });
  const survivor = child.ended.then(() =>
    startWorker(server, { taskQueue: name, activities: { filesRoot } }),
  );
  const { published } = new TactusClient(client, { taskQueue: name });
  const ids: string[] = [];
  const starts = (part: string): Promise<unknown>[] =>
    Array.from({ length: runsAtOnce }, async (_, i) => {
      const workflowId = `${name}-${part}-${i}`;
      ids.push(workflowId);
      const started = { args: [{ procedure: name }], workflowId, taskQueue: name };
      // A dead worker is noticed after this time; by default after 10 s.
      const handle = await client.workflow.start(workflowType, { ...started, workflowTaskTimeout: '2s' });
      return (await handle.result()) as unknown;
    });

  await published.publish(name, saying('one'), { by: 'ann', id: `${name}-1` });
  expect(await Promise.all(starts('a')), name).toEqual(allOf('one'));
  const onTrial = published.publish(name, saying('two'), { share: 50, id: `${name}-2` });
  const during = await Promise.all([
    onTrial,
    published.publish(name, saying('three'), { share: 25 }),
    ...starts('b'),
  ]);
  for (const output of during.slice(2)) expect(texts, name).toContain(output);
  await published.promote(name, 2);
  const second = textOf.get((await published.read(name)).versions[1]?.digest ?? '') ?? '';
  expect(await Promise.all(starts('c')), name).toEqual(allOf(second));
  // Two who see the same trouble at once.
  await Promise.all([published.rollback(name), published.rollback(name), ...starts('d')]);
  // It holds for each run that begins after it.
  expect(await Promise.all(starts('e')), name).toEqual(allOf('one'));

  const { versions } = await published.read(name);
  expect(
    versions.map(({ version, share }) => [version, share]),
    name,
  ).toEqual([
    [1, 100],
    [2, 0],
    [3, 0],
  ]);
  const boundaries = (await child.boundaries())?.length ?? null;
  const named: Parameters<typeof replayHistories>[0] = [];
  for (const id of [...ids, publishedWorkflowId(name), publishedSourceId(`${name}-1`)]) {
    const histories = await historiesOf(client, id);
    expect(failedTasks(histories), id).toEqual([]);
    named.push(...histories.map((history) => ({ workflowId: id, history })));
  }
  for (const id of ids) {
    const run = server.tactus.attach(id);
    const { published: as, output } = { ...(await run.status()), output: await run.result() };
    expect(textOf.get(versions[(as?.version ?? 0) - 1]?.digest ?? ''), id).toBe(output);
  }
  expect(await replayHistories(named), name).toEqual([]);
  await child.kill();
  await (await survivor).stop();
  return boundaries;
}

function allOf(text: string): string[] {
  return Array.from({ length: runsAtOnce }, () => text);
}

it('a worker that dies while versions are published and runs begin loses and doubles nothing', async () => {
  const boundaries = (await publishUnderLoad('undisturbed')) ?? 0;
  const counting = Array.from(
    { length: Math.ceil((boundaries + 10) / killEvery) },
    (_, i) => i * killEvery + killFrom,
  );
  let killed = 0;
  await eachOf(counting, atOnce, async (killAt) => {
    const isKilled = (await publishUnderLoad(`killed-${killAt}`, killAt)) === null;
    if (isKilled) killed++;
    return isKilled;
  });
  console.log(`publish: killed at ${killed} of ${boundaries} boundaries`);
  expect(boundaries).toBeGreaterThan(40);
  expect(killed).toBeGreaterThanOrEqual(Math.floor((boundaries - 20) / killEvery));
}, 900_000);
