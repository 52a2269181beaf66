import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaultTaskQueue, workflowType } from '../../../src/contract/names.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { startChildWorker } from '../../support/child-worker.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

/** Runs whose Lua takes longer than one workflow task may, though each of their tasks is short. */

let server: TestServer;
let worker: TestWorker;
beforeAll(async () => {
  server = await startDevServer();
});
afterEach(() => worker.stop());
afterAll(() => server.stop());

const perRound = 3_000_000;
const source = procedureOf(`
  local n = 0
  for round = 1, input.rounds do
    for i = 1, ${perRound / 5} do n = (n + i % 7) % 1000003 end
    Sleep(0.001)
  end
  Human.approve("Go on?")
  return n`);

/** What comes of it. */
function computed(rounds: number): number {
  let n = 0;
  for (let round = 1; round <= rounds; round++)
    for (let i = 1; i <= perRound / 5; i++) n = (n + (i % 7)) % 1_000_003;
  return n;
}

async function start(workflowId: string, rounds = 14): Promise<TactusRun> {
  await server.client.workflow.start(workflowType, {
    args: [{ source, input: { rounds } }],
    workflowId,
    taskQueue: defaultTaskQueue,
    workflowTaskTimeout: '4s',
  });
  return server.tactus.attach(workflowId);
}

async function end(run: TactusRun, rounds = 14): Promise<void> {
  const [request] = await pendingOf(run, 1, 60_000);
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(computed(rounds));
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  const times = histories.map(({ events: all }) =>
    Number(all?.[0]?.workflowExecutionStartedEventAttributes?.workflowTaskTimeout?.seconds),
  );
  expect(times.length).toBeGreaterThan(1);
  expect(times[0]).toBe(4);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  // Replayed in a fifth of the last task's time on most machines, and in all of it on one that is five times as slow.
  expect(times.at(-1)).toBeGreaterThanOrEqual((rounds * perRound) / 5_000_000);
  expect(await replayRun(server.client, run)).toEqual([]);
}

describe('a run that computes for longer than a task may take', () => {
  it('is taken over after a deploy', async () => {
    const before = await startWorker(server);
    const run = await start('deploy');
    await pendingOf(run, 1, 60_000);
    await before.stop();
    worker = await startWorker(server);
    await end(run);
  });

  it('is taken over from a worker that was killed', async () => {
    const options = {
      address: server.env.address,
      taskQueue: defaultTaskQueue,
      filesRoot: mkdtempSync(join(tmpdir(), 'time-to-replay-')),
    };
    const before = await startChildWorker(options);
    const run = await start('killed');
    await pendingOf(run, 1, 60_000);
    await before.kill();
    worker = await startWorker(server);
    await end(run);
  });

  it('goes on in a worker that keeps no runs', async () => {
    worker = await startWorker(server, { worker: { maxCachedWorkflows: 0 } });
    const run = await start('evicted', 12);
    await end(run, 12);
  });

  it('fails where nothing could replay it, unless its limits say otherwise', async () => {
    worker = await startWorker(server);
    const endless = procedureOf(
      'while true do for i = 1, 9000000 do end checkpoint(function() return 1 end) end',
    );
    const limits = { totalInstructions: 20_000_000 };
    await expect(server.tactus.execute(endless, {}, { limits })).rejects.toMatchObject({
      code: 'instruction_limit',
      message: expect.stringContaining('the run used all of its 20000000 instructions') as string,
    });
  });
});
