import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upgradeRun } from '../../../src/client/changes/upgrade.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { historiesOf } from '../../support/histories.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;

beforeEach(async () => {
  around.provider.reply(() => ({ text: 'done' }));
  worker = await startWorker(around.server, { activities: { env: around.env } });
});
afterEach(async () => {
  const { holds } = around.server.tactus;
  for (const { target } of await holds.list()) await holds.release(target);
  await worker.stop();
});

const target = 'provider:openai';
const why = { reason: 'the provider is down', by: 'ann' };

const one = procedureSource(`
  writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
  Procedure { function() return writer("Write").output end }`);

const replayed = (run: TactusRun): Promise<string[]> => replayRun(around.server.client, run);
const hold = (...which: [string?]): Promise<unknown> =>
  around.server.tactus.holds.add(which[0] ?? target, why);
const release = (rate?: number): Promise<unknown> =>
  around.server.tactus.holds.release(target, rate === undefined ? {} : { rate });

/** The status of a run, when so many of its calls are held. */
async function whenHeld(run: TactusRun, waiting = 1, inAll = waiting) {
  const view = await waitUntil(async () => {
    const now = await run.status();
    return now.held?.[0]?.waiting === waiting && now;
  });
  await waitUntil(async () => (await listed())[0]?.waiting === inAll);
  return view;
}
/** How often the run has told of what waits. */
async function toldIn(run: TactusRun): Promise<number> {
  const histories = await historiesOf(around.server.client, run.runId);
  const events = histories.flatMap((history) => history.events ?? []);
  return events.filter((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes).length;
}
const listed = () => around.server.tactus.holds.list();

describe('a call of a provider that is held', () => {
  it('waits with who held it and why, asks nothing, spends nothing, and begins when it is released', async () => {
    await hold();
    const run = await around.server.tactus.start(one);
    const view = await whenHeld(run);
    expect(view).toMatchObject({
      status: 'running',
      held: [{ target, ...why, until: null, waiting: 1 }],
      waits: [{ kind: 'activity', held: true, hold: target }],
      usage: { input_tokens: 0, output_tokens: 0 },
    });
    expect(await listed()).toMatchObject([{ target, ...why, waiting: 1 }]);
    expect(around.provider.requests).toHaveLength(0);
    expect(await release()).toEqual([]);
    expect(await run.result()).toBe('done');
    expect(around.provider.requests).toHaveLength(1);
    const ended = await run.status();
    expect(ended.held).toBeUndefined();
    expect(ended.waits).toEqual([]);
    expect(await replayed(run)).toEqual([]);
  });

  it('does not keep calls of others from being made', async () => {
    await hold('provider:anthropic');
    const run = await around.server.tactus.start(one);
    expect(await run.result()).toBe('done');
    expect(await toldIn(run)).toBe(0);
  });

  it('spends none of the attempts that its author allows', async () => {
    around.provider.reply({ status: 503 }, { text: 'done' });
    await hold();
    const run = await around.server.tactus.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", system_prompt = "Write.", retry = { attempts = 2, delay = 0.1 } }
        Procedure { function() return writer("Write").output end }`),
    );
    await whenHeld(run);
    await release();
    expect(await run.result()).toBe('done');
    expect(around.provider.requests).toHaveLength(2);
  });

  it('is no longer counted when the run is cancelled', async () => {
    await hold();
    const run = await around.server.tactus.start(one);
    await whenHeld(run);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    await waitUntil(async () => (await listed())[0]?.waiting === 0);
    await release();
    expect(around.provider.requests).toHaveLength(0);
    expect(await replayed(run)).toEqual([]);
  });

  it('is given up with its branch, and not asked afterwards', async () => {
    await hold();
    const run = await around.server.tactus.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
        Procedure { function()
          local first = Parallel.race {
            function() return writer("Write").output end,
            function() return Event.wait("go") end,
          }
          Event.wait("end")
          return first
        end }`),
    );
    await whenHeld(run);
    await run.send('go', 'by the event');
    await waitUntil(async () => (await listed())[0]?.waiting === 0);
    expect((await run.status()).held).toBeUndefined();
    await release();
    await run.send('end', true);
    await run.result();
    expect(around.provider.requests).toHaveLength(0);
    expect(await replayed(run)).toEqual([]);
  });

  it('is held by a pause as well, and begins when both have ended', async () => {
    await hold();
    const run = await around.server.tactus.start(one);
    await whenHeld(run);
    expect(await run.pause({ by: 'bob' })).toMatchObject({ status: 'paused', waiting: 0 });
    await release();
    await waitUntil(async () => (await run.status()).held === undefined);
    expect(await run.status()).toMatchObject({ status: 'paused', waits: [{ held: true }] });
    expect(around.provider.requests).toHaveLength(0);
    await run.unpause();
    expect(await run.result()).toBe('done');
    expect(await replayed(run)).toEqual([]);
  });

  it('moves to the next execution of its run', async () => {
    await hold();
    const source = procedureSource(`
      writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
      Procedure { function()
        return Parallel.map({ "write", "wait" }, function(what)
          if what == "write" then return writer("Write").output end
          for i = 1, 12 do Event.wait("go") end
          return "waited"
        end)
      end }`);
    const run = await around.server.tactus.start(source, {}, { limits: { historyEvents: 25 } });
    await whenHeld(run);
    for (let i = 0; i < 12; i++) await run.send('go', i);
    await waitUntil(async () => (await run.status()).waits.length === 1);
    expect((await historiesOf(around.server.client, run.runId)).length).toBeGreaterThan(1);
    await whenHeld(run);
    await release();
    expect(await run.result()).toEqual(['done', 'waited']);
    expect(around.provider.requests).toHaveLength(1);
    expect(await replayed(run)).toEqual([]);
  });

  it('is one of a fork too', async () => {
    await hold();
    const run = await around.server.tactus.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
        Procedure { function() checkpoint(function() return 1 end) return writer("Write").output end }`),
    );
    await whenHeld(run);
    const fork = await around.server.tactus.fork(run.runId, { at: '0' });
    await whenHeld(fork, 1, 2);
    await release();
    expect([await run.result(), await fork.result()]).toEqual(['done', 'done']);
    expect(around.provider.requests).toHaveLength(2);
  });

  it('waits on with the new source of its run', async () => {
    await hold();
    const text = `
      writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
      Procedure { function() return writer("Write").output .. " by the old" end }`;
    const run = await around.server.tactus.start(procedureSource(text));
    await whenHeld(run);
    const moved = await upgradeRun(run, procedureSource(text.replace('the old', 'the new')), { by: 'cid' });
    expect(moved).toMatchObject({ verdict: 'fits', moved: true });
    await whenHeld(run);
    await release();
    expect(await run.result()).toBe('done by the new');
    expect(around.provider.requests).toHaveLength(1);
    expect(await replayed(run)).toEqual([]);
  });

  it('waits with others of its batch', async () => {
    await hold();
    const run = await around.server.tactus.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", system_prompt = "Write." }
        Procedure { function()
          return Parallel.map({ "a", "b" }, function(each) return writer(each).output end, { batch = true })
        end }`),
    );
    await whenHeld(run, 2);
    expect(around.provider.requests).toHaveLength(0);
    await release();
    expect(await run.result()).toEqual(['done', 'done']);
    expect(await replayed(run)).toEqual([]);
  });
});

describe('a hold', () => {
  it('gets another reason when it is added again, and is released once', async () => {
    await hold();
    await around.server.tactus.holds.add(target, { reason: 'still down' });
    expect(await listed()).toMatchObject([{ target, reason: 'still down', by: null }]);
    await release();
    await expect(release()).rejects.toMatchObject({ code: 'change_refused' });
  });

  it('is refused where it is none, with nothing held', async () => {
    const { holds } = around.server.tactus;
    for (const wrong of ['openai', 'model:x', 'provider:', 'tool:a b', `tool:${'x'.repeat(300)}`])
      await expect(holds.add(wrong, why)).rejects.toMatchObject({ code: 'usage' });
    await expect(holds.add(target, { reason: '' })).rejects.toMatchObject({ code: 'usage' });
    await expect(holds.add(target, { ...why, until: new Date(0) })).rejects.toMatchObject({ code: 'usage' });
    await expect(holds.release(target, { rate: 0 })).rejects.toMatchObject({ code: 'usage' });
    const handle = around.server.client.workflow.getHandle('tactus-holds');
    await hold();
    await expect(
      handle.executeUpdate('tactus_hold', { args: [{ kind: 'add', target: 'all', reason: 'x' }] }),
    ).rejects.toMatchObject({ cause: { type: 'usage' } });
    await handle.signal('tactus_held', { run: 7 });
    expect(await listed()).toHaveLength(1);
  });
});
