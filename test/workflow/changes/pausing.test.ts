import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { MemoryStreams } from '../../../src/streams/memory-streams.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { resetRun } from '../../support/reset-run.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;

beforeEach(async () => {
  // Streamed, so that an answer takes its time.
  worker = await startWorker(around.server, {
    activities: { env: around.env, streams: new MemoryStreams() },
  });
});
afterEach(() => worker.stop());

const replayed = (run: TactusRun): Promise<string[]> => replayRun(around.server.client, run);

/** What the run has begun with the server, without what only ends a workflow task. */
async function begunBy(run: TactusRun): Promise<string[]> {
  const histories = await historiesOf(around.server.client, run.runId);
  return histories.flatMap(({ events }) =>
    (events ?? []).flatMap((event) => {
      const activity = event.activityTaskScheduledEventAttributes?.activityType?.name;
      if (activity != null) return activity === 'breathe' ? [] : [activity];
      if (event.timerStartedEventAttributes) return ['timer'];
      return event.startChildWorkflowExecutionInitiatedEventAttributes ? ['child'] : [];
    }),
  );
}

const two = procedureSource(`
  writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
  Procedure { function()
    local first = writer("First").output
    local second = writer("Second").output
    return first .. ", " .. second
  end }`);

const asking = procedureSource(`
  writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
  Procedure { function()
    Human.approve("First?")
    return writer("Now").output
  end }`);

/** What it asks first is answered while it is paused: then it holds a call of a model. */
async function approveWhilePaused(run: TactusRun): Promise<void> {
  const [request] = await pendingOf(run);
  await run.pause({ by: 'ann' });
  await run.decide({ request: request?.id ?? '', value: true });
  await waitUntil(async () => (await run.status()).checkpoints === 1);
}

describe('a run that is paused', () => {
  it('lets what is under way end, and begins nothing until it goes on', async () => {
    around.provider.reply({ slowly: { text: 'one' }, everyMs: 200 }, { text: 'two' });
    const run = await around.server.tactus.start(two);
    await around.provider.arrived(1);
    const answer = await run.pause({ by: 'ann', reason: 'the provider is down' });
    expect(answer).toMatchObject({
      status: 'paused',
      changed: true,
      paused: { by: 'ann', reason: 'the provider is down', deadlines: 'go_on' },
      waiting: 1,
      waiting_for: [{ kind: 'activity' }],
    });
    const view = await waitUntil(async () => {
      const now = await run.status();
      return now.waits[0]?.held === true && now;
    });
    expect(view.status).toBe('paused');
    expect(view.paused).toEqual(answer.paused);
    expect(view.usage.output_tokens).toBeGreaterThan(0);
    expect(await begunBy(run)).toEqual(['modelCall']);
    expect(await run.pause({ by: 'bob' })).toMatchObject({
      ...{ status: 'paused', changed: false, waiting: 0 },
      paused: { by: 'ann' },
    });
    expect(await run.unpause()).toMatchObject({ status: 'running', changed: true });
    expect(await run.result()).toBe('one, two');
    expect(around.provider.requests).toHaveLength(2);
    expect((await run.status()).paused).toBeUndefined();
    expect(await replayed(run)).toEqual([]);
  });

  it('takes decisions and events, whose answers wait, and ends when it goes on', async () => {
    const run = await around.server.tactus.start(
      procedureSource(`
        Procedure { function()
          local approved = Human.approve("Go?")
          local paid = Event.wait("paid")
          return { approved = approved, paid = paid }
        end }`),
    );
    const [request] = await pendingOf(run);
    expect(await run.pause()).toMatchObject({ waiting: 1, waiting_for: [{ kind: 'human' }] });
    expect(await run.decide({ request: request?.id ?? '', value: true })).toMatchObject({
      outcome: 'accepted',
    });
    await run.send('paid', 7);
    const view = await waitUntil(async () => {
      const now = await run.status();
      return now.checkpoints === 1 && now;
    });
    expect(view).toMatchObject({ status: 'paused', pending: [], waits: [{ kind: 'event', held: true }] });
    await run.unpause();
    expect(await run.result()).toEqual({ approved: true, paid: 7 });
    expect(await replayed(run)).toEqual([]);
  });

  it('asks nobody anything new, and neither completes nor fails', async () => {
    const run = await around.server.tactus.start(
      procedureSource(`
        Procedure { input = { fails = field.boolean{} }, function(input)
          Human.approve("First?")
          if input.fails then error("broken") end
          return "done"
        end }`),
      { fails: true },
    );
    const [request] = await pendingOf(run);
    await run.pause();
    await run.decide({ request: request?.id ?? '', value: true });
    await waitUntil(async () => (await run.status()).checkpoints === 1);
    expect(await run.status()).toMatchObject({ status: 'paused', error: null, closed_at: null, waits: [] });
    await run.unpause();
    await expect(run.result()).rejects.toMatchObject({ code: 'lua_error' });
    expect(await replayed(run)).toEqual([]);
  });

  it('ends when it is cancelled', async () => {
    const run = await around.server.tactus.start(two, {}, { paused: { by: 'ann' } });
    await waitUntil(async () => (await run.status()).waits.length === 1);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(around.provider.requests).toHaveLength(0);
    await expect(run.unpause()).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('may begin so, and shows what it would do first', async () => {
    around.provider.reply({ text: 'one' }, { text: 'two' });
    const paused = { by: 'ann', reason: 'to be looked at' };
    const run = await around.server.tactus.start(two, {}, { paused });
    const view = await waitUntil(async () => {
      const now = await run.status();
      return now.waits.length > 0 && now;
    });
    expect(view).toMatchObject({
      ...{ status: 'paused', paused, checkpoints: 0 },
      waits: [{ kind: 'activity', held: true }],
    });
    expect(await begunBy(run)).toEqual([]);
    await run.unpause();
    expect(await run.result()).toBe('one, two');
    expect(await replayed(run)).toEqual([]);
  });

  it('begins what it holds in parts where it is more than fits into a message', async () => {
    const text = '"x" .. string.rep("y", 200000) .. i';
    const run = await around.server.tactus.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
        Procedure { function()
          local all = Parallel.map({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, function(i) return writer(${text}).output end)
          return #all
        end }`),
      {},
      { paused: {} },
    );
    around.provider.reply(() => ({ text: 'short' }));
    await waitUntil(async () => (await run.status()).waits.length === 12);
    await run.unpause();
    expect(await run.result()).toBe(12);
    expect(await replayed(run)).toEqual([]);
  }, 60_000);
});

describe('a paused run', () => {
  /** Each branch waits for its event, and would ask a model then. */
  const branches = procedureSource(`
    writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
    Procedure { function()
      local numbers = {}
      for i = 1, 30 do numbers[i] = i end
      local approved
      local all = Parallel({
        function() return Parallel.map(numbers, function(i) Event.wait("go " .. i) return writer("Part " .. i).output end) end,
        function() return Human.approve("All of it?") end,
      })
      return #all[1] .. " " .. tostring(all[2])
    end }`);

  it('continues as new: what was begun goes on, what is held stays so', async () => {
    around.provider.reply(() => ({ text: 'short' }));
    const run = await around.server.tactus.start(branches, {}, { limits: { historyEvents: 40 } });
    const [request] = await pendingOf(run);
    await run.pause({ reason: 'later' });
    for (let i = 1; i <= 30; i++) await run.send(`go ${i}`, true);
    await waitUntil(async () => (await run.status()).checkpoints === 30);
    const histories = await historiesOf(around.server.client, run.runId);
    expect(histories.length).toBeGreaterThan(1);
    const view = await run.status();
    expect(view).toMatchObject({ status: 'paused', paused: { reason: 'later' } });
    expect(view.waits.filter(({ held }) => held === true)).toHaveLength(30);
    expect(view.waits.filter(({ held }) => held !== true)).toMatchObject([{ kind: 'human' }]);
    expect(await run.decide({ request: request?.id ?? '', value: true })).toMatchObject({
      outcome: 'accepted',
    });
    expect(await begunBy(run)).toEqual([]);
    await run.unpause();
    expect(await run.result()).toBe('30 true');
    expect(await replayed(run)).toEqual([]);
  }, 60_000);

  it('stays so where it is reset, before the pause too', async () => {
    around.provider.reply(() => ({ text: 'short' }));
    const run = await around.server.tactus.start(asking);
    await approveWhilePaused(run);
    await resetRun(around.server.client, run.runId);
    const view = await waitUntil(async () => {
      const now = await run.status();
      return now.checkpoints === 1 && now;
    });
    expect(view).toMatchObject({ status: 'paused', paused: { by: 'ann' }, waits: [{ held: true }] });
    await run.unpause();
    expect(await run.result()).toBe('short');
    expect(await replayed(run)).toEqual([]);
  });

  it('has a fork that is not paused', async () => {
    around.provider.reply(() => ({ text: 'short' }));
    const run = await around.server.tactus.start(asking);
    await approveWhilePaused(run);
    const fork = await around.server.tactus.fork(run.runId, { at: '0' });
    const [request] = await pendingOf(fork);
    await fork.decide({ request: request?.id ?? '', value: true });
    expect(await fork.result()).toBe('short');
    expect((await run.status()).status).toBe('paused');
  });

  it('lets its child runs go on, and starts none', async () => {
    const run = await around.server.tactus.start(
      procedureSource(
        `Procedure { function()
          local first = Procedure.run("child.tac", {})
          local second = Procedure.run("child.tac", {})
          return first .. second
        end }`,
        { 'child.tac': 'Procedure { function() return Human.input("Word?") end }' },
      ),
    );
    await waitUntil(async () => (await run.status()).children.length === 1);
    const answer = await run.pause();
    expect(answer.waiting_for).toMatchObject([{ kind: 'child', runs: [`${run.runId}/0`] }]);
    const child = around.server.tactus.attach(`${run.runId}/0`);
    const [request] = await pendingOf(child);
    await child.decide({ request: request?.id ?? '', value: 'a' });
    await waitUntil(async () => (await run.status()).checkpoints === 1);
    expect(await run.status()).toMatchObject({ status: 'paused', children: [], waits: [{ held: true }] });
    await run.unpause();
    const second = await waitUntil(async () => (await run.status()).children[0] ?? null);
    const [next] = await pendingOf(around.server.tactus.attach(second));
    await around.server.tactus.decide({ request: next?.id ?? '', value: 'b' });
    expect(await run.result()).toBe('ab');
  });

  it('refuses a pause that can not be read, with nothing in history', async () => {
    const run = await around.server.tactus.start(two, {}, { paused: {} });
    const length = await waitUntil(async () => (await run.status()).version?.length);
    for (const given of [
      'x',
      { by: 1 },
      { reason: '' },
      { reason: 'x'.repeat(1_001) },
      { deadlines: 'never' },
    ])
      await expect(run.handle.executeUpdate('pause', { args: [given] })).rejects.toMatchObject({
        cause: { type: 'invalid' },
      });
    await expect(run.pause({ by: '' })).rejects.toMatchObject({ code: 'usage' });
    const [history] = await historiesOf(around.server.client, run.runId);
    expect(history?.events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toBe(
      false,
    );
    expect(length).toBeGreaterThan(0);
    await run.terminate();
  });
});
