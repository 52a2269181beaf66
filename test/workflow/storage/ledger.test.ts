import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage } from '../../../src/client/storage/open-storage.js';
import type { StorageBackend } from '../../../src/client/storage/storage-backend.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

const source = {
  entry: 'main.tac',
  files: {
    'main.tac': `main = Graph {
      channels = { n = Graph.last },
      nodes = {
        a = function(state)
          local n = (state.n or 0) + 1
          return { writes = { n = n }, next = n < 6 and "a" or "b",
            ledger = { { topic = "seen", key = "k" .. n, data = { n = n } }, { topic = n % 2 == 0 and "even" or "odd", key = "k" .. n } } }
        end,
        b = function(state) Graph.interrupt("go on?") return { ledger = { { topic = "seen", key = "end" } } } end,
      },
    }`,
  },
};

it.each([
  ['SQLite', 'sqlite'],
  ['files', 'file'],
])(
  'the ledger of a thread is in %s, as its log has it, also past a snapshot and another worker',
  async (_, kind) => {
    const folder = temporaryFolder('ledger');
    const storage: StorageBackend = await openStorage(
      kind === 'file' ? `file:${folder}` : `sqlite:${join(folder, 'a.sqlite')}`,
    );
    let worker = await startWorker(server, { storage });
    const mirrored = new TactusClient(server.client, { storage });
    const run = await server.tactus.start(
      source,
      {},
      { runId: `thread-${kind}`, limits: { historyEvents: 20 } },
    );
    const [request] = await waitUntil(async () => {
      const pending = await run.pending();
      return pending.length === 1 && pending;
    });
    await waitUntil(async () => (await mirrored.getLedger(run.runId)).length === 12);
    await worker.stop();
    worker = await startWorker(server, { storage });
    await run.decide({ request: request?.id ?? '', value: true });
    await run.result();
    await waitUntil(async () => (await mirrored.getLedger(run.runId)).length === 13);
    const all = await mirrored.getLedger(run.runId);
    expect(all).toEqual(await server.tactus.getLedger(run.runId));
    expect(all[0]).toEqual({ topic: 'seen', key: 'k1', data: { n: 1 }, step: 1, number: 1 });
    for (const client of [mirrored, server.tactus]) {
      const even = await client.getLedger(run.runId, { topic: 'even', after: 4, limit: 1 });
      expect(even.map(({ key, number }) => [key, number])).toEqual([['k4', 8]]);
      expect((await client.getLedger(run.runId, { topic: 'seen', after: 11 })).map(({ key }) => key)).toEqual(
        ['end'],
      );
      await expect(client.getLedger(run.runId, { after: -1 })).rejects.toMatchObject({ code: 'usage' });
    }
    expect(await mirrored.getLedger('nobody')).toEqual([]);
    await expect(server.tactus.getLedger('nobody')).rejects.toMatchObject({ code: 'run_not_found' });
    await worker.stop();
    await storage.close?.();
  },
);
