import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MemoryStorage } from '../../src/client/storage/memory-storage.js';
import { procedureOf } from '../support/procedure-source.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

let server: TestServer;
let worker: TestWorker;
const storage = new MemoryStorage();

beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server, { storage });
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

it('is told at once of a run that waits, however little time it had', async () => {
  const source = procedureOf(`
    local guess = Model { type = "mock", value = 1 }
    for i = 1, 5 do
      guess({ n = i })
      state.n = i
    end
    Human.approve("Go on?")`);
  // One of them does it within the time in which changes are gathered.
  const runs = await Promise.all(Array.from({ length: 5 }, () => server.tactus.start(source)));
  for (const { runId } of runs) {
    await waitUntil(async () => (await storage.loadProcedureMetadata(runId)).waiting_on_message_id !== null);
    expect(await storage.loadProcedureMetadata(runId)).toMatchObject({ state: { n: 5 }, replay_index: 5 });
  }
});

it('has the whole of a run where it waits and where it has ended, over continue-as-new', async () => {
  const append = vi.spyOn(storage, 'append');
  const source = procedureOf(`
    local guess = Model { type = "mock", value = 1 }
    for i = 1, 60 do
      guess({ n = i })
      state.n = i
    end
    Human.approve("Go on?")
    for i = 61, 80 do
      guess({ n = i })
      state.n = i
    end
    return state.n`);
  const run = await server.tactus.start(source, {}, { limits: { historyEvents: 40 } });
  const record = () => storage.loadProcedureMetadata(run.runId);
  await waitUntil(async () => (await record()).waiting_on_message_id !== null);
  expect(await record()).toMatchObject({ status: 'WAITING_FOR_HUMAN', state: { n: 60 }, replay_index: 60 });
  const [request] = await run.pending();
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(80);
  await waitUntil(async () => (await record()).status === 'COMPLETED');
  const { execution_log: log, state } = await record();
  expect(log.map(({ position }) => position)).toEqual(Array.from({ length: 81 }, (_, i) => i));
  expect(state).toEqual({ n: 80 });
  expect(append.mock.calls.length).toBeLessThan(30);
});
