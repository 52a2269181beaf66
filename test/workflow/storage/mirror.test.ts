import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { reconcileStorage } from '../../../src/client/storage/reconcile-storage.js';
import { EncodedStorage } from '../../../src/client/storage/encoded-storage.js';
import { FileStorage } from '../../../src/client/storage/file-storage.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { aesCodec } from '../../support/aes-codec.js';
import { startChildWorker } from '../../support/child-worker.js';
import { procedureOf } from '../../support/procedure-source.js';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

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

it('keeps what a run has come to as the payload codecs of its worker make it', async () => {
  const folder = temporaryFolder('mirror-encrypted');
  const dataConverter = { payloadCodecs: [aesCodec(randomBytes(32))] };
  const client = new Client({ connection: server.env.connection, dataConverter });
  const files = new FileStorage(folder);
  const taskQueue = 'encrypted';
  const encrypting = await startWorker(server, { taskQueue, storage: files, worker: { dataConverter } });
  const source = procedureOf(`
    local guess = Model { type = "mock", value = { text = "known to one" } }
    state.found = guess({ n = 1 }).output.text
    error("not known to others")`);
  const run = await new TactusClient(client, { taskQueue }).start(source);
  await waitUntil(async () => (await files.loadProcedureMetadata(run.runId)).status === 'FAILED');
  const text = readFileSync(join(folder, `${run.runId}.json`), 'utf8');
  expect(text).not.toMatch(/known to/);
  const readable = new EncodedStorage(files, dataConverter.payloadCodecs);
  expect(await readable.loadProcedureMetadata(run.runId)).toMatchObject({
    ...{ status: 'FAILED', state: { found: 'known to one' } },
    execution_log: [{ result: { output: { text: 'known to one' } } }],
  });
  const { damaged, wrong, behind, same } = await reconcileStorage(client, readable, { isDryRun: true });
  expect([damaged, wrong, behind, same > 0]).toEqual([0, 0, 0, true]);
  await files.deleteCheckpoint(run.runId);
  await reconcileStorage(client, files);
  expect(readFileSync(join(folder, `${run.runId}.json`), 'utf8')).not.toMatch(/known to/);
  await encrypting.stop();
});

it('tells how much it writes and how far it is behind, among the metrics of its worker', async () => {
  const folder = temporaryFolder('mirror-metrics');
  const metrics = `127.0.0.1:${await freePort()}`;
  const child = await startChildWorker({
    ...{ address: server.env.address, taskQueue: 'measured', filesRoot: folder, metrics },
    storage: { place: `file:${folder}`, seed: 1 },
  });
  const tactus = new TactusClient(server.client, { taskQueue: 'measured' });
  const sources = [1, 2, 3, 4, 5, 6, 7, 8].map((n) =>
    procedureOf(`Step.checkpoint(function() return ${n} end) Human.approve("Go on?")`),
  );
  for (const source of sources) await tactus.start(source);
  const number = async (name: string): Promise<number> => {
    const lines = (await (await fetch(`http://${metrics}/metrics`)).text()).split('\n');
    const line = lines.find((each) => new RegExp(`^${name}\\{[^}]*task_queue="measured"`).test(each));
    return Number(line?.split(' ').at(-1));
  };
  await waitUntil(async () => (await number('tactus_mirror_writes')) >= 8);
  expect(await number('tactus_mirror_entries')).toBeGreaterThanOrEqual(8);
  expect(await number('tactus_mirror_failures')).toBeGreaterThan(0);
  expect(await number('tactus_mirror_lag_count')).toBeGreaterThanOrEqual(8);
  await waitUntil(async () => (await number('tactus_mirror_unwritten')) === 0);
  expect(await number('tactus_mirror_oldest')).toBe(0);
  await child.kill();
});
