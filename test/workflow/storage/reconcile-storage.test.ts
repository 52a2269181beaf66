import { afterAll, beforeAll, expect, it } from 'vitest';
import { askingWithin } from '../../../src/client/runs/view-run.js';
import { readSnapshot } from '../../../src/client/runs/snapshot.js';
import { reconcileStorage } from '../../../src/client/storage/reconcile-storage.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import { workflowType } from '../../../src/contract/names.js';
import { clientReader } from '../../../src/worker/storage/mirror/mirror-catch-up.js';
import { MirrorWriter } from '../../../src/worker/storage/mirror/mirror-writer.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** Records of runs of which no worker tells: ended without a word, or deleted; and of what is none of our runs. */

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server?.stop());

const source = procedureOf(`
  local guess = Model { type = "mock", value = 1 }
  pcall(guess, { n = 1 })
  state.asked = true
  return Human.approve("Go on?")`);
const nothing = { same: 0, missing: 0, damaged: 0, ended: 0, behind: 0, wrong: 0, gone: 0, failed: [] };

/** Runs that wait, and a storage that knows so. */
async function waiting(runIds: readonly string[]): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const worker = await startWorker(server, { storage });
  for (const runId of runIds) await server.tactus.start(source, {}, { runId });
  await waitUntil(
    async () => (await storage.listCheckpoints({ status: 'WAITING_FOR_HUMAN' })).length === runIds.length,
  );
  await worker.stop();
  return storage;
}

it('keeps records of runs that the server has deleted, until they are to go, and any that are not its own', async () => {
  const storage = await waiting(['stays', 'deleted']);
  const { mirrored } = await storage.loadProcedureMetadata('deleted');
  await storage.saveCheckpoint('theirs', { status: 'RUNNING', state: { mine: 1 } });
  if (mirrored === undefined) throw new Error('it is marked');
  await storage.saveCheckpoint('elsewhere', { mirrored: { ...mirrored, namespace: 'another' } });
  await server.client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: 'deleted' },
  });
  const worker = await startWorker(server);
  const found = { ...nothing, runs: 1, same: 1, gone: 1 };
  await waitUntil(async () => (await reconcileStorage(server.client, storage)).gone === 1);
  expect(await reconcileStorage(server.client, storage, { isDryRun: true, removesGone: true })).toEqual(
    found,
  );
  expect(await storage.listCheckpoints()).toEqual(['deleted', 'elsewhere', 'stays', 'theirs']);
  expect(await reconcileStorage(server.client, storage, { removesGone: true })).toEqual(found);
  expect(await storage.listCheckpoints()).toEqual(['elsewhere', 'stays', 'theirs']);
  await server.tactus.attach('stays').terminate();
  await worker.stop();
});

it('takes the word of the server where no worker answers, and says whose log could not be read', async () => {
  const storage = await waiting(['unheard', 'goes on']);
  await server.tactus.attach('unheard').terminate();
  const asking = askingWithin(server.client, 500);
  await waitUntil(async () => {
    const { failed } = await reconcileStorage(server.client, storage, { asking, isDryRun: true });
    return failed.some(({ run_id }) => run_id === 'unheard');
  });
  const { failed, ...counts } = await reconcileStorage(server.client, storage, { asking });
  expect(failed.map(({ run_id }) => run_id)).toEqual(expect.arrayContaining(['goes on', 'unheard']));
  expect(failed.find(({ run_id }) => run_id === 'goes on')?.reason).toMatch(/worker/);
  expect(counts).toMatchObject({ same: 0, missing: 0 });
  expect(await storage.loadProcedureMetadata('unheard')).toMatchObject({
    ...{ status: 'TERMINATED', waiting_on_message_id: null, state: { asked: true }, replay_index: 1 },
    mirrored: { over: true },
  });
  expect(await storage.loadProcedureMetadata('goes on')).toMatchObject({ status: 'WAITING_FOR_HUMAN' });
  const worker = await startWorker(server);
  await server.tactus.attach('goes on').terminate();
  await waitUntil(async () => (await reconcileStorage(server.client, storage)).ended === 0);
  expect(await storage.loadProcedureMetadata('goes on')).toMatchObject({ status: 'TERMINATED' });
  await worker.stop();
});

it('notices without being told to that runs were terminated, and ran out of time', async () => {
  const storage = await waiting(['killed']);
  const worker = await startWorker(server);
  const errors: unknown[] = [];
  const writer = new MirrorWriter(storage, clientReader(server.client), {
    onError: (_runId, error) => errors.push(error),
    lookMs: 200,
  });
  writer.watch();
  await server.tactus.start(source, {}, { runId: 'late', timeout: '1s' });
  await server.tactus.attach('killed').terminate();
  const status = async (runId: string) => (await storage.loadProcedureMetadata(runId)).status;
  await waitUntil(async () => (await status('killed')) === 'TERMINATED');
  await waitUntil(async () => (await status('late')) === 'TIMED_OUT');
  expect(errors).toEqual([]);
  writer.unwatch();
  await worker.stop();
});

it('never says of a run that it is over because another was that had its id', async () => {
  const storage = await waiting(['again']);
  const worker = await startWorker(server, { storage });
  const first = server.tactus.attach('again');
  await first.terminate();
  let second: string | null = null;
  // Between the server's word on the first and the question to whatever has the id now.
  const look = async <T>(question: () => Promise<T>): Promise<T> => {
    if (second === null) {
      const start = { args: [{ source, input: {} }], taskQueue: 'tactus', workflowId: 'again' };
      const handle = await server.client.workflow.start(workflowType, {
        ...start,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      });
      second = handle.firstExecutionRunId;
      await waitUntil(async () => (await first.status()).status === 'waiting_for_human');
    }
    return question();
  };
  const read = await readSnapshot(server.client, 'again', { ask: (question) => question(), look });
  const { status, mark } = read?.snapshot ?? {};
  expect([status, mark?.over, mark?.execution]).toEqual(['waiting_for_human', false, second]);
  await first.terminate();
  await worker.stop();
});
