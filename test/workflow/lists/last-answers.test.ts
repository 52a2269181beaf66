import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { describeRun, viewRun, type Asking } from '../../../src/client/runs/view-run.js';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import { workflowType } from '../../../src/contract/names.js';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import type { RunIndex } from '../../../src/read-model/run-index.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** What a run answers that has ended is read from the index, and is what a worker would say. */

let server: TestServer;
let index: RunIndex;
let worker: TestWorker;
let tactus: TactusClient;

beforeAll(async () => {
  server = await startDevServer();
  index = await openRunIndex(':memory:');
  worker = await startWorker(server, { index });
  tactus = new TactusClient(server.client, { index });
});
afterAll(async () => {
  await worker?.stop();
  await index?.close();
  await server?.stop();
});

/** Whoever is asked with this asks no worker. */
const withoutWorker = (): Asking => ({
  ask: () => Promise.reject(new Error('a worker was asked')),
  look: (question) => question(),
  last: (runId, execution) => tactus.lastAnswers(runId, execution),
});

const execution = async (runId: string): Promise<string> => (await describeRun(tactus.attach(runId))).runId;

const isKept = async (runId: string): Promise<boolean> =>
  (await tactus.lastAnswers(runId, await execution(runId))) !== null;

async function ended(runId: string, source: string, input: JsonObject = {}): Promise<void> {
  const run = await tactus.start(procedureOf(source), input, { runId });
  await run.result().catch(() => undefined);
}

const shows = `
  print("to be read") Log.warn("of note", {n = 1})
  state.seen = {1, 2, 3}
  Step.checkpoint(function() return {deep = "value"} end)
`;

it.each([
  ['completed', `${shows} return {out = input.n}`],
  ['failed', `${shows} error("as it was told")`],
  [
    'in-passes',
    `if input.n < 3 then ${shows} Procedure.continue_as_new({n = input.n + 1}) end ${shows} return 1`,
  ],
  ['branches', `${shows} Parallel { function() return 1 end, function() state.two = 2 end } return nil`],
])('is what a worker says of a run that has %s', async (runId, source) => {
  await ended(runId, source, { n: 1 });
  await waitUntil(() => isKept(runId));
  const run = tactus.attach(runId);
  const kept = await viewRun(run, withoutWorker());
  expect(kept.incomplete).toBeUndefined();
  expect(kept.printed).toContain('to be read');
  expect(kept).toEqual(await viewRun(run));

  const answers = await tactus.lastAnswers(runId, await execution(runId));
  const known = run.after(answers as NonNullable<typeof answers>);
  expect(await known.log()).toEqual(await run.log());
  expect(await known.state()).toEqual(await run.state());
  expect((await known.log()).execution_log.length).toBeGreaterThan(0);
});

it('is kept of a run that was cancelled, with what it still did', async () => {
  const run = await tactus.start(
    procedureOf(`${shows} defer("clean", function() state.cleaned = true end) Human.approve("Sure?")`),
    {},
    { runId: 'cancelled' },
  );
  await waitUntil(async () => (await run.pending()).length === 1);
  await run.cancel();
  await run.result().catch(() => undefined);
  await waitUntil(() => isKept('cancelled'));
  const kept = await viewRun(run, withoutWorker());
  expect(kept).toMatchObject({ status: 'cancelled', state: { cleaned: true }, pending: [], waits: [] });
  expect(kept).toEqual(await viewRun(run));
});

it('is not taken for that of a later run of the same id', async () => {
  const source = (text: string): string => `${shows} return "${text}"`;
  await ended('again', source('first'));
  await waitUntil(() => isKept('again'));
  const first = await execution('again');
  await worker.stop();
  const other = await startWorker(server);
  await server.client.workflow.start(workflowType, {
    ...{ workflowId: 'again', taskQueue: 'tactus', args: [{ source: procedureOf(source('second')) }] },
  });
  await tactus.attach('again').result();
  expect(await tactus.lastAnswers('again', first)).not.toBeNull();
  expect(await isKept('again')).toBe(false);
  expect((await viewRun(tactus.attach('again'), { ...withoutWorker(), ask: (each) => each() })).output).toBe(
    'second' satisfies JsonValue,
  );
  await other.stop();
  worker = await startWorker(server, { index });
});

it('leaves out a log and a state that are too large, and a worker says them', async () => {
  await ended(
    'large-log',
    `for i = 1, 30 do Step.checkpoint(function() return ("x"):rep(20000) end) end ${shows}`,
  );
  await waitUntil(() => isKept('large-log'));
  const answers = await tactus.lastAnswers('large-log', await execution('large-log'));
  expect(answers?.log).toBeNull();
  const run = tactus.attach('large-log');
  expect(await viewRun(run, withoutWorker())).toEqual(await viewRun(run));
  expect((await run.after(answers as NonNullable<typeof answers>).log()).execution_log).toHaveLength(31);

  await ended('large-state', `state.all = ("x"):rep(400000) return 1`);
  await waitUntil(async () => (await index.find(['large-state']))[0]?.isFinal === true);
  expect(await isKept('large-state')).toBe(false);
  expect(await tactus.attach('large-state').state()).toEqual({ all: 'x'.repeat(400_000) });
});
