import { afterAll, beforeAll, expect, it } from 'vitest';
import { newestEngine } from '../../../src/contract/engine.js';
import { readWorkerSettings, sdkOptions } from '../../../src/worker/settings.schema.js';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** `worker.engine`: runs begin, and continue as new, on an older engine, until a worker without it takes them over. */

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server?.stop());

const work = (settings: { engine?: number }): Promise<TestWorker> => {
  const { patchActivationCallback } = sdkOptions(readWorkerSettings(settings, {}));
  return startWorker(server, {
    worker: patchActivationCallback === undefined ? {} : { patchActivationCallback },
  });
};

/** The engines that an execution asked for and got. */
function enginesIn({ events }: History): string[] {
  return (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) => {
    if (marker?.markerName !== 'core_patch') return [];
    const data = Buffer.from(marker.details?.['patch-data']?.payloads?.[0]?.data ?? []).toString();
    const { id } = JSON.parse(data) as { id: string };
    return id.startsWith('engine-') ? [id] : [];
  });
}

it('keeps runs on it over continue-as-new, and they move on when a worker without it is there', async () => {
  const older = `engine-${newestEngine - 1}`;
  let worker = await work({ engine: newestEngine - 1 });
  try {
    const source = procedureOf(`
      local all = {}
      for i = 1, 40 do all[i] = checkpoint(function() return i end) Sleep(0.001) end
      Event.wait("go")
      for i = 1, 40 do all[i] = checkpoint(function() return i end) Sleep(0.001) end
      return #all`);
    const run = await server.tactus.start(source, {}, { limits: { historyEvents: 60 } });
    await waitUntil(async () => (await run.status()).waits.some(({ kind }) => kind === 'event'));
    const before = await historiesOf(server.client, run.runId);
    expect(before.length).toBeGreaterThan(2);
    // An execution that stays on the engine of the one before asks for no other.
    expect(before.map(enginesIn)).toEqual([[older], ...before.slice(1).map(() => [])]);

    await worker.stop();
    worker = await work({});
    await run.send('go', true);
    expect(await run.result()).toBe(40);
    const histories = await historiesOf(server.client, run.runId);
    expect(failedTasks(histories)).toEqual([]);
    expect(histories.length).toBeGreaterThan(before.length);
    expect(histories.slice(before.length).flatMap(enginesIn)).toEqual([`engine-${newestEngine}`]);
    const named = histories.map((history) => ({ workflowId: run.runId, history }));
    expect(await replayHistories(named)).toEqual([]);
  } finally {
    await worker.stop();
  }
});
