import { readdir, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { ExternalStorage, StorageDriverClaim, type Payload, type StorageDriver } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { withPayloadStore } from '../../../src/worker/payloads/store/payload-store.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories, replayRun } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const reads = 22;
/** A log that still has 2.2 MB when it is compressed, more than the server takes. */
const source = procedureOf(`
  local length = 0
  for i = 1, ${reads} do length = length + #File.read("noise.txt") end
  for i = 1, 6 do Sleep(0.001) end
  return length`);
const noise = randomBytes(100_000).toString('base64');

/** What a driver for some other store does. */
class MemoryDriver implements StorageDriver {
  readonly name = 'memory';
  readonly type = 'memory';
  readonly kept = new Map<string, Payload>();

  async store(_: unknown, payloads: Payload[]): Promise<StorageDriverClaim[]> {
    return payloads.map((payload) => {
      const key = `${this.kept.size}`;
      this.kept.set(key, payload);
      return new StorageDriverClaim({ key });
    });
  }

  async retrieve(_: unknown, claims: StorageDriverClaim[]): Promise<Payload[]> {
    return claims.map(({ claimData }) => this.kept.get(claimData['key'] ?? '')!);
  }
}

let server: TestServer;
let filesRoot: string;

beforeAll(async () => {
  server = await startDevServer();
  filesRoot = temporaryFolder('large-log');
  await writeFile(join(filesRoot, 'noise.txt'), noise);
});

afterAll(() => server.stop());

describe('a run whose log is too large for a history', () => {
  it('continues as new all the same, with the log in the payload store', async () => {
    const folder = temporaryFolder('large-log-store');
    const payloadStore = new FilePayloadStore(folder);
    const worker = await startWorker(server, { activities: { filesRoot }, payloadStore });
    try {
      const run = await server.tactus.start(source, {}, { limits: { historyEvents: 20 } });
      expect(await run.result()).toBe(reads * noise.length);
      expect((await run.status()).checkpoints).toBe(reads + 6);
      const histories = await historiesOf(server.client, run.runId);
      expect(histories.length).toBeGreaterThan(1);
      expect(failedTasks(histories)).toEqual([]);
      expect((await readdir(folder)).length).toBeGreaterThan(0);
      const named = histories.map((history) => ({ workflowId: run.runId, history }));
      const dataConverter = withPayloadStore(undefined, payloadStore);
      expect(await replayHistories(named, { dataConverter })).toEqual([]);
    } finally {
      await worker.stop();
    }
  });

  it.each([
    ['and goes into the external storage of the SDK, where that takes it', undefined, true],
    ['and stays out of one that would leave two large payloads in one message', 1_000_000, false],
  ])('continues as new %s', async (_, payloadSizeThreshold, doesContinue) => {
    const driver = new MemoryDriver();
    const externalStorage = new ExternalStorage({
      drivers: [driver],
      ...(payloadSizeThreshold === undefined ? {} : { payloadSizeThreshold }),
    });
    const dataConverter = { externalStorage };
    const worker = await startWorker(server, { activities: { filesRoot }, worker: { dataConverter } });
    try {
      const client = new Client({ connection: server.env.connection, dataConverter });
      const run = await new TactusClient(client).start(source, {}, { limits: { historyEvents: 20 } });
      expect(await run.result()).toBe(reads * noise.length);
      const histories = await historiesOf(client, run.runId);
      expect(histories.length > 1).toBe(doesContinue);
      expect(driver.kept.size > 0).toBe(doesContinue);
      expect(failedTasks(histories)).toEqual([]);
      const named = histories.map((history) => ({ workflowId: run.runId, history }));
      expect(await replayHistories(named, { dataConverter })).toEqual([]);
    } finally {
      await worker.stop();
    }
  });

  it('goes on in one execution where the worker has no store', async () => {
    const worker = await startWorker(server, { activities: { filesRoot } });
    try {
      const run = await server.tactus.start(source, {}, { limits: { historyEvents: 20 } });
      expect(await run.result()).toBe(reads * noise.length);
      const histories = await historiesOf(server.client, run.runId);
      expect(failedTasks(histories)).toEqual([]);
      expect(histories).toHaveLength(1);
      expect(await replayRun(server.client, run)).toEqual([]);
    } finally {
      await worker.stop();
    }
  });
});
