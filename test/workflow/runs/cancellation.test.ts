import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { startProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** What a run does when it is cancelled; nothing of it may go on afterwards. */
const waits = [
  { at: 'a person', body: 'Human.approve("Go?")' },
  { at: 'a timer', body: 'Sleep(3600)' },
  { at: 'branches', body: 'Parallel{ function() Sleep(3600) end, function() Human.approve("Go?") end }' },
  { at: 'a step', body: 'step("one", function() checkpoint(function() Sleep(3600) end) end)' },
  { at: 'a retry', body: 'Retry.with_backoff(function() Sleep(3600) end)' },
];

let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server);
});

afterAll(async () => {
  await worker.stop();
  await server.stop();
});

describe('a run is cancelled', () => {
  it.each(waits)('while it waits at $at, and no pcall keeps it alive', async ({ body }) => {
    const source = procedureOf(`
      local ok, e = pcall(function() ${body} end)
      local again = xpcall(function() ${body} end, function() return "handled" end)
      return "went on: " .. tostring(ok) .. tostring(e) .. tostring(again)`);
    const run = await server.tactus.start(source);
    await waitUntil(async () => (await run.status()).waits.length > 0);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    const view = await run.status();
    expect(view).toMatchObject({ status: 'cancelled', waits: [], pending: [] });
    expect((await run.handle.describe()).status.name).toBe('CANCELLED');
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  });

  it('with the runs that it waits for, and theirs', async () => {
    const source = procedureSource(
      'Procedure { function(input) return Procedure.run("child.tac", {}) end }',
      {
        'child.tac': 'Procedure { function(input) return Procedure.run("grandchild.tac", {}) end }',
        'grandchild.tac': 'Procedure { function(input) return Human.approve("Go?") end }',
      },
    );
    const run = await server.tactus.start(source);
    const runs = ['', '/0', '/0/0'].map((path) => server.tactus.attach(run.runId + path));
    await pendingOf(runs[2] ?? run);
    await run.cancel();
    for (const each of runs)
      await expect(each.result(), each.runId).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('and a model call in flight ends with it', async () => {
    const provider = await startProviderStandIn();
    provider.reply({ hang: true });
    const source = procedureOf(`
      local slow = Model { type = "http", endpoint = "${provider.url}/slow", timeout = 60 }
      local ok = pcall(function() slow({ n = 1 }) end)
      return "went on"`);
    const run = await server.tactus.start(source, {}, { limits: { heartbeatMs: 1_000 } });
    await provider.arrived(1);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    await provider.close();
  });

  it('before a worker has ever seen it', async () => {
    await worker.stop();
    const run = await server.tactus.start(procedureOf('return Human.approve("Go?")'));
    await run.cancel();
    worker = await startWorker(server);
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('for good: a decision that comes later is told so', async () => {
    const run = await server.tactus.start(procedureOf('return Human.approve("Go?")'));
    const [request] = await pendingOf(run);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await run.decide({ request: request?.id ?? '', value: true })).toMatchObject({
      outcome: 'unknown',
    });
  });
});
