import { expect, it } from 'vitest';
import { listRuns } from '../../../src/client/lists/list-runs.js';
import { rewindRun } from '../../../src/client/changes/rewind.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { searchAttributeNames } from '../../../src/contract/names.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithWorker(startDevServer);

const body = `
  local name = Human.input("Name?")
  for _ = 1, 8 do Sleep(0.01) end
  return Human.approve("Go?") and name`;

async function answer(run: TactusRun, value: string | boolean): Promise<void> {
  const [request] = await pendingOf(run);
  await run.decide({ request: request?.id ?? '', value });
}

const forksOf = async (run: string): Promise<string[]> =>
  (await listRuns(around.client, { limit: 9, forkedFrom: run })).runs.map(({ run_id }) => run_id).sort();
const isListed = (run: string, forks: string[]): Promise<boolean> =>
  waitUntil(async () => JSON.stringify(await forksOf(run)) === JSON.stringify(forks));

it('a fork says where it comes from, and is found by it, however it goes on', async () => {
  const limits = { historyEvents: 12 };
  const first = await around.tactus.start(procedureOf(body), {}, { runId: "O'Hara", limits });
  await answer(first, 'Ada');
  await pendingOf(first);
  expect(await first.status()).not.toHaveProperty('forked_from');
  const fork = await around.tactus.fork("O'Hara", { at: '0', set: 'Eve', runId: 'second' });
  await pendingOf(fork);
  const from = { run_id: "O'Hara", at: '0' };
  expect(await fork.status()).toMatchObject({ forked_from: from });
  expect((await historiesOf(around.client, 'second')).length).toBeGreaterThan(1);
  const { currentDetails } = await fork.handle.query<{ currentDetails: string }>(
    '__temporal_workflow_metadata',
  );
  expect(currentDetails.split('\n')).toContain("forked from O'Hara at 0");
  await isListed("O'Hara", ['second']);
  expect((await listRuns(around.client, { limit: 9, prefix: 'second' })).runs).toMatchObject([
    { run_id: 'second', forked_from: from },
  ]);
  expect((await around.tactus.count({ forkedFrom: "O'Hara" })).runs).toBe(1);

  // Of a fork of a fork, the nearest; and none of both is one of the other's.
  const third = await around.tactus.fork('second', { at: '8', runId: 'third' });
  expect(await third.status()).toMatchObject({ forked_from: { run_id: 'second', at: '8' } });
  await isListed('second', ['third']);
  expect(await forksOf("O'Hara")).toEqual(['second']);
  await answer(third, true);
  expect(await third.result()).toBe('Eve');
  await fork.handle.terminate();
  await isListed("O'Hara", ['second']);
});

it('a fork that goes back to a checkpoint after its end stays one', async () => {
  const run = await around.tactus.start(procedureOf(body), {}, { runId: 'ended' });
  await answer(run, 'Ada');
  await pendingOf(run);
  const fork = await around.tactus.fork('ended', { at: '8', runId: 'again' });
  await answer(fork, true);
  await fork.result();
  await rewindRun(around.tactus, fork, { at: '8' });
  await pendingOf(fork);
  expect(await fork.status()).toMatchObject({ forked_from: { run_id: 'ended', at: '8' } });
  await isListed('ended', ['again']);
});

it('in a namespace that was set up before, forks are started and shown, and only not found by it', async () => {
  const tactus = new TactusClient(around.client, { searchAttributes: 'labels' });
  const run = await tactus.start(procedureOf(body), {}, { runId: 'older' });
  await answer(run, 'Ada');
  await pendingOf(run);
  const fork = await tactus.fork('older', { at: '8', runId: 'older-fork' });
  await answer(fork, true);
  expect(await fork.result()).toBe('Ada');
  const { typedSearchAttributes } = await fork.handle.describe();
  const names = typedSearchAttributes.getAll().map(({ key }) => key.name);
  expect(names).toContain(searchAttributeNames.status);
  expect(names).not.toContain(searchAttributeNames.forkedFrom);
  const from = { run_id: 'older', at: '8' };
  expect(await fork.status()).toMatchObject({ forked_from: from });
  await waitUntil(async () => {
    const { runs } = await listRuns(around.client, { limit: 9, prefix: 'older-fork' });
    return runs[0]?.forked_from?.run_id === 'older';
  });
  expect(await forksOf('older')).toEqual([]);
});
