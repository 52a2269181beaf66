import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signalNames } from '../../../src/contract/names.js';
import { historiesOf, failedTasks } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

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

describe('decisions that meet', () => {
  it('two on what is asked next, of which neither has an id: each sender has the verdict of its own', async () => {
    const run = await server.tactus.start(
      procedureOf('Human.approve("Go?") return Human.approve("Really?")'),
    );
    await pendingOf(run);
    await worker.stop();
    await run.handle.signal(signalNames.decide, { request: `${run.runId}/0`, value: true });
    const request = `${run.runId}/1`;
    const first = run.decide({ request, value: true, early: true });
    await delay(300);
    const second = run.decide({ request, value: false, early: true });
    await delay(300);
    worker = await startWorker(server);
    expect([(await first).outcome, (await second).outcome]).toEqual(['accepted', 'late']);
    expect(await run.result()).toBe(true);
  });

  it('approve and reject from two sides: one is taken, the other told so', async () => {
    const races = Array.from({ length: 20 }, async () => {
      const run = await server.tactus.start(
        procedureOf('local ok = Human.approve("Go?")\nHuman.approve("Really?")\nreturn ok'),
      );
      await pendingOf(run);
      const request = `${run.runId}/0`;
      const verdicts = await Promise.all([
        run.decide({ request, value: true, by: 'ann' }),
        run.decide({ request, value: false, by: 'bob' }),
      ]);
      await run.decide({ request: `${run.runId}/1`, value: true });
      const outcomes = verdicts.map(({ outcome }) => outcome);
      expect([...outcomes].sort()).toEqual(['accepted', 'late']);
      expect(await run.result()).toBe(outcomes[0] === 'accepted');
    });
    await Promise.all(races);
  });

  it('a decision and the end of its time in one workflow task: the decision wins', async () => {
    const run = await server.tactus.start(
      procedureOf('return Human.approve{ message = "Go?", timeout = 2, default = false }'),
    );
    await pendingOf(run);
    await worker.stop();
    // Nobody works while the time runs out; then the answer comes, and both wait for the same task.
    await delay(2_500);
    await run.handle.signal(signalNames.decide, { request: `${run.runId}/0`, value: true });
    worker = await startWorker(server);
    expect(await run.result()).toBe(true);
    const [history] = await historiesOf(server.client, run.runId);
    const types = (history?.events ?? []).map((event) =>
      event.timerFiredEventAttributes
        ? 'timer'
        : event.workflowExecutionSignaledEventAttributes
          ? 'signal'
          : '',
    );
    expect(types.filter((type) => type !== '')).toEqual(['timer', 'signal']);
  });

  it('a worker that takes the run over with each task knows what is open', async () => {
    await worker.stop();
    worker = await startWorker(server, { worker: { maxCachedWorkflows: 0 } });
    const asks = [1, 2, 3, 4].map((i) => `answers[${i}] = Human.approve("Number ${i}?")`);
    const run = await server.tactus.start(
      procedureOf(`local answers = {}\n${asks.join('\n')}\nreturn answers`),
    );
    for (const at of [0, 1, 2, 3]) {
      const request = `${run.runId}/${at}`;
      await waitUntil(async () => (await run.status()).pending[0]?.id === request);
      // Tasks without a command are joined with the next one when history is read again.
      if (at === 1) await run.handle.signal(signalNames.decide, { request, value: true });
      else expect(await run.decide({ request, value: true })).toMatchObject({ outcome: 'accepted' });
    }
    expect(await run.result()).toEqual([true, true, true, true]);
    await worker.stop();
    worker = await startWorker(server);
  });

  it('one on its way while the run continues as new is not lost', async () => {
    const body = `
      local answers = {}
      for i = 1, 6 do
        for j = 1, 5 do checkpoint(function() return j end) end
        Sleep(0.01)
        answers[i] = Human.approve("Round " .. i .. "?")
      end
      return answers`;
    const run = await server.tactus.start(procedureOf(body), {}, { limits: { historyEvents: 10 } });
    const positions = Array.from({ length: 6 }, (_, i) => i * 7 + 6);
    // All six at once, most of them early: they travel with the run.
    await Promise.all(
      positions.map((position, i) =>
        run.handle.signal(signalNames.decide, { request: `${run.runId}/${position}`, value: i % 2 === 0 }),
      ),
    );
    expect(await run.result()).toEqual([true, false, true, false, true, false]);
    const histories = await historiesOf(server.client, run.runId);
    expect(histories.length).toBeGreaterThan(2);
    expect(failedTasks(histories)).toEqual([]);
  });

  it('eleven Updates at once are all answered: none waits for the procedure', async () => {
    const body = `
      local asks = {}
      for i = 1, 11 do asks[i] = function() return Human.approve("Number " .. i .. "?") end end
      local answers = Parallel(asks)
      Sleep(600)
      return answers`;
    const run = await server.tactus.start(procedureOf(body));
    const pending = await pendingOf(run, 11);
    const verdicts = await Promise.all(pending.map(({ id }) => run.decide({ request: id, value: true })));
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(pending.map(() => 'accepted'));
    expect((await run.status()).waits).toMatchObject([{ kind: 'time' }]);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
