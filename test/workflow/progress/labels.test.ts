import { expect, it } from 'vitest';
import { listRuns } from '../../../src/client/lists/list-runs.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { Labels } from '../../../src/contract/runs/labels.js';
import { searchAttributeNames } from '../../../src/contract/names.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithWorker(startDevServer);

async function foundBy(labels: Labels): Promise<string[]> {
  const { runs } = await listRuns(around.client, { limit: 100, labels });
  return runs.map(({ run_id }) => run_id).sort();
}

it('labels of the start and of the procedure are found, shown and inherited by child runs', async () => {
  const source = procedureSource(
    `Procedure { function(input)
      Procedure.label("customer", "O'Hara & sons")
      local child = Procedure.run("child.tac")
      Procedure.label("team", "ops")
      return Human.approve("Go?")
    end }`,
    {
      'child.tac':
        'Procedure { function(input) Procedure.label("own", "1") return Human.approve("Child?") end }',
    },
  );
  const run = await around.tactus.start(source, {}, { runId: 'labelled', labels: { team: 'crm' } });
  const child = around.tactus.attach('labelled/0');
  await waitUntil(async () => (await foundBy({ own: '1' })).length === 1);
  expect(await foundBy({ team: 'crm', customer: "O'Hara & sons" })).toEqual(['labelled', 'labelled/0']);
  expect((await child.status()).labels).toEqual({ team: 'crm', customer: "O'Hara & sons", own: '1' });
  await child.decide({ request: 'labelled/0/0', value: true });
  await waitUntil(async () => (await foundBy({ team: 'ops' })).length === 1);
  expect(await foundBy({ team: 'crm' })).toEqual(['labelled/0']);
  expect((await run.status()).labels).toEqual({ team: 'ops', customer: "O'Hara & sons" });
  const { runs } = await listRuns(around.client, { limit: 1, labels: { own: '1' } });
  expect(runs).toMatchObject([{ labels: { own: '1', team: 'crm' } }]);
  await run.decide({ request: 'labelled/1', value: true });
  await run.result();
  expect(await replayRun(around.client, run)).toEqual([]);
});

it('labels last when a run continues as new, begins again, is forked and ends', async () => {
  const body = `
    Procedure.label("pass", tostring(state.pass or 1))
    for i = 1, 4 do Sleep(0.01) end
    if not state.pass then
      state.pass = 2
      Procedure.label("first", "yes")
      Procedure.continue_as_new()
    end
    return Human.approve("Go?")`;
  const limits = { historyEvents: 12 };
  const run = await around.tactus.start(procedureOf(body), {}, { runId: 'long', limits, labels: { a: 'b' } });
  await waitUntil(async () => (await run.status()).status === 'waiting_for_human');
  expect((await historiesOf(around.client, 'long')).length).toBeGreaterThan(2);
  const all = { a: 'b', first: 'yes', pass: '2' };
  await waitUntil(async () => (await foundBy(all)).length === 1);
  const fork = await around.tactus.fork('long', { at: '8', runId: 'forked' });
  await waitUntil(async () => (await foundBy(all)).includes('forked'));
  expect((await fork.status()).labels).toEqual(all);
  await fork.handle.terminate();
  await waitUntil(
    async () =>
      (await listRuns(around.client, { limit: 9, labels: all, status: 'terminated' })).runs.length === 1,
  );
  expect(await replayRun(around.client, run)).toEqual([]);
});

it('a namespace that was set up before there were labels shows them, and sets the others alone', async () => {
  const tactus = new TactusClient(around.client, { searchAttributes: true });
  const run = await tactus.start(procedureOf('return 1'), {}, { runId: 'older', labels: { old: 'yes' } });
  await run.result();
  const { typedSearchAttributes } = await run.handle.describe();
  const names = typedSearchAttributes.getAll().map(({ key }) => key.name);
  expect(names).toContain(searchAttributeNames.status);
  expect(names).not.toContain(searchAttributeNames.labels);
  await waitUntil(async () =>
    (await listRuns(around.client, { limit: 9, prefix: 'older' })).runs.some(
      ({ labels }) => labels?.['old'] === 'yes',
    ),
  );
});

it.each([
  [{ 'no key': 'x' }, 'is no key of a label'],
  [{ team: '' }, 'needs a text'],
  [Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'x'])), 'at most 20'],
])('%j is refused with nothing started', async (labels, message) => {
  const start = around.tactus.start(procedureOf('return 1'), {}, { runId: 'refused', labels });
  await expect(start).rejects.toThrow(message);
  await expect(around.tactus.attach('refused').handle.describe()).rejects.toThrow();
  const raw = around.client.workflow.execute('tactus', {
    ...{
      args: [{ source: procedureOf('return 1'), labels }],
      workflowId: 'raw',
      taskQueue: around.tactus.taskQueue,
    },
  });
  await expect(raw).rejects.toMatchObject({ cause: { type: 'usage' } });
});
