import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** Much arrives in one go, for a run that is about to continue as new. */

let server: TestServer;
let worker: TestWorker;
beforeAll(async () => {
  server = await startDevServer();
});
afterEach(() => worker.stop());
afterAll(() => server.stop());

async function end(run: TactusRun, output: unknown): Promise<void> {
  expect(await run.result()).toEqual(output);
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
}

describe('what arrives while no worker is there, and is larger than a message', () => {
  it('is had by the run, where it is events', async () => {
    worker = await startWorker(server);
    const run = await server.tactus.start(
      procedureOf(`
        local waits = {}
        for i = 1, 4 do waits[i] = function() return #Event.wait("page").text end end
        local sizes = Parallel(waits)
        Sleep(0.001)
        return sizes`),
    );
    await waitUntil(async () => (await run.status()).waits.length === 4 || null);
    await worker.stop();
    for (let i = 0; i < 4; i++)
      await run.handle.signal('event', 'page', { text: String(i).repeat(1_200_000) });
    worker = await startWorker(server);
    // Its history is too large for one answer.
    expect(await run.result()).toEqual([1_200_000, 1_200_000, 1_200_000, 1_200_000]);
  });

  it('is had by the run, where it is decisions', async () => {
    worker = await startWorker(server);
    const run = await server.tactus.start(
      procedureOf(`
        Sleep(0.001) Sleep(0.001)
        local asks = {}
        for i = 1, 12 do asks[i] = function() return #Human.input({ message = "text " .. i }) end end
        return Parallel(asks)`),
      {},
      { limits: { historyEvents: 20 } },
    );
    const pending = await pendingOf(run, 12);
    await worker.stop();
    for (const { id } of pending)
      await run.handle.signal('decide', { request: id, value: 'x'.repeat(240_000) });
    worker = await startWorker(server);
    await end(
      run,
      Array.from({ length: 12 }, () => 240_000),
    );
  });
});
