import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFork, type ForkOptions } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { expectReplays, historiesBelow } from '../../support/histories-below.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server);
  provider = await startProviderStandIn();
  provider.reply(() => ({ status: 200, body: { score: provider.requests.length } }));
});

afterAll(async () => {
  await worker.stop();
  await provider.close();
  await server.stop();
});

/** Asks a model twice, what it is asked by chance and the clock too, then a person, then the model once more. */
const asking = `
  local m = Model { type = "http", endpoint = input.endpoint }
  local function ask(what) return m({ what = what, by = math.random(), at = os.time() }).output.score end
  local first, second = ask("first"), ask("second")
  state.first = first
  local ok = Human.approve("Go on?")
  return { first = first, second = second, ok = ok, third = ask("third") }`;

const source = (body: string): ProcedureSource =>
  procedureSource(`Procedure { input = { endpoint = field.string{} }, function(input)\n${body}\nend }`);

async function start(body = asking, more: object = {}): Promise<TactusRun> {
  return server.tactus.start(source(body), { endpoint: provider.url }, more);
}

async function answer(run: TactusRun, value: JsonValue): Promise<JsonValue> {
  const [request] = await pendingOf(run);
  await run.decide({ request: request?.id ?? '', value });
  return run.result();
}

interface Forked {
  run: TactusRun;
  checkpoints: number;
  /** How often a model was asked since. */
  asked: () => number;
}

async function fork(before: TactusRun, options: ForkOptions): Promise<Forked> {
  const asked = provider.requests.length;
  const { checkpoints } = await readFork(before, options);
  const run = await server.tactus.fork(before.runId, options);
  return { run, checkpoints, asked: () => provider.requests.length - asked };
}

/** What ran must replay, in every execution. */
describe('a run that is forked', () => {
  it('has what is recorded, and goes its own way from there on', async () => {
    const before = await start();
    const ended = await answer(before, true);
    expect(ended).toMatchObject({ ok: true });
    const forked = await fork(before, { at: '2' });
    expect(forked.checkpoints).toBe(2);
    const [request] = await pendingOf(forked.run);
    expect(request?.id).toBe(`${forked.run.runId}/2`);
    expect(await forked.run.state()).toMatchObject({ first: expect.any(Number) as unknown });
    expect(forked.asked()).toBe(0);
    expect(await answer(forked.run, false)).toMatchObject({
      first: (ended as { first: number }).first,
      ok: false,
    });
    expect(forked.asked()).toBe(1);
    expect(await before.result()).toEqual(ended);
    await expectReplays(server.tactus, forked.run.runId);
  });

  it('asks anew for the checkpoint, and for all that ended later', async () => {
    const before = await start();
    await answer(before, true);
    const forked = await fork(before, { at: '1' });
    await pendingOf(forked.run);
    expect(forked.asked()).toBe(1);
    await answer(forked.run, true);
    expect(forked.asked()).toBe(2);
  });

  it('may be forked while it is open, and both go on', async () => {
    const before = await start();
    await pendingOf(before);
    const forked = await fork(before, { at: '1' });
    await pendingOf(forked.run);
    expect(await answer(forked.run, false)).toMatchObject({ ok: false });
    expect(await answer(before, true)).toMatchObject({ ok: true });
  });

  it('takes what a checkpoint is set to', async () => {
    const before = await start();
    await answer(before, true);
    const forked = await fork(before, { at: '0', set: { output: { score: 77 }, cost: null } });
    expect(forked.checkpoints).toBe(1);
    expect(await answer(forked.run, true)).toMatchObject({ first: 77 });
    const answered = await fork(before, { at: '2', set: false });
    expect(await answered.run.result()).toMatchObject({ ok: false });
    expect(answered.asked()).toBe(1);
    const [, , request] = (await answered.run.log()).execution_log;
    expect(request?.result).toEqual({ value: false, timed_out: false, by: null, comment: null });
    await expectReplays(server.tactus, answered.run.runId);
  });

  it('does a step anew with all its parts, or takes what it is set to', async () => {
    const before = await start(`
      local m = Model { type = "http", endpoint = input.endpoint }
      local sum = checkpoint(function() return m({ n = 1 }).output.score + m({ n = 2 }).output.score end)
      return { sum = sum, last = m({ n = 3 }).output.score }`);
    const { sum } = (await before.result()) as { sum: number };
    const anew = await fork(before, { at: '0' });
    expect(anew.checkpoints).toBe(0);
    expect(((await anew.run.result()) as { sum: number }).sum).not.toBe(sum);
    expect(anew.asked()).toBe(3);
    const inside = await fork(before, { at: '0.1' });
    await inside.run.result();
    expect([inside.checkpoints, inside.asked()]).toEqual([1, 2]);
    const set = await fork(before, { at: '0', set: -5 });
    expect(await set.run.result()).toMatchObject({ sum: -5 });
    expect(set.asked()).toBe(1);
  });

  it('waits for the runs that were spawned before, and spawns none again', async () => {
    const before = await server.tactus.start(
      procedureSource(
        `Procedure { function()
          local child = Procedure.spawn("child.tac", { n = 4 })
          local ok = Human.approve("Wait for it?")
          return { ok = ok, child = Procedure.wait(child) }
        end }`,
        {
          'child.tac':
            'Procedure { input = { n = field.integer{} }, output = { sum = field.integer{} }, function(input) return { sum = input.n + 1 } end }',
        },
      ),
    );
    expect(await answer(before, true)).toEqual({ ok: true, child: { sum: 5 } });
    const forked = await fork(before, { at: '1' });
    expect(await answer(forked.run, false)).toEqual({ ok: false, child: { sum: 5 } });
    const below = await historiesBelow(server.tactus, forked.run.runId);
    expect(below.map(({ workflowId }) => workflowId)).toEqual([forked.run.runId]);
    await expectReplays(server.tactus, forked.run.runId);
  });

  it('goes on from a run of many executions', async () => {
    const before = await start(
      `for i = 1, 12 do Model({ type = "http", endpoint = input.endpoint })({ n = i, by = math.random() }) end
      return Human.input("And?")`,
      { limits: { historyEvents: 30 } },
    );
    expect(await answer(before, 'one')).toBe('one');
    const forked = await fork(before, { at: '12' });
    expect(await answer(forked.run, 'other')).toBe('other');
    expect([forked.checkpoints, forked.asked()]).toEqual([12, 0]);
    await expectReplays(server.tactus, forked.run.runId);
  });
});

describe('a run that is forked with another source', () => {
  it('goes on with that where it fits', async () => {
    const before = await start();
    await answer(before, true);
    const forked = await fork(before, {
      at: '2',
      source: source(asking.replace('Human.approve("Go on?")', 'Human.input("What now?")')),
    });
    expect(await answer(forked.run, 'wait')).toMatchObject({ ok: 'wait' });
    await expectReplays(server.tactus, forked.run.runId);
  });

  it('is refused where it does not, with nothing started', async () => {
    const before = await start();
    await answer(before, true);
    const other = source(asking.replace('ask("second")', 'ask("another")'));
    await expect(fork(before, { at: '2', source: other, runId: 'refused' })).rejects.toMatchObject({
      code: 'non_determinism',
      message: expect.stringMatching(/position 1: .*second.* then, .*another.* now/) as unknown,
      details: { position: '1' },
    });
    await expect(server.client.workflow.getHandle('refused').describe()).rejects.toThrow(/not found/);
  });
});

describe('what cannot be forked is refused', () => {
  it.each([
    [{ at: '7' }, 'usage', /has no checkpoint 7; tactus-temporal log/],
    [{ at: 'first' }, 'usage', /has no checkpoint first/],
  ])('%j', async (options, code, message) => {
    const run = await start('return Human.approve("?")');
    await answer(run, true);
    await expect(fork(run, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as unknown,
    });
  });

  it('a run that is none, and an id that is taken', async () => {
    await expect(server.tactus.fork('nobody', { at: '0' })).rejects.toMatchObject({ code: 'run_not_found' });
    const run = await start('return Human.approve("?")');
    await answer(run, true);
    await expect(fork(run, { at: '0', runId: run.runId })).rejects.toMatchObject({ code: 'run_conflict' });
  });
});
