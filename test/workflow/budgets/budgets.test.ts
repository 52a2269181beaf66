import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';

const around = serverWithProvider();
const prices = JSON.stringify({ 'openai/gpt-own': { input: 10_000, output: 10_000 } });
const answer = { text: 'Hello', usage: { input: 90, output: 10 } };
let worker: TestWorker;

const work = (): Promise<TestWorker> =>
  startWorker(around.server, {
    activities: { env: { ...around.env, TACTUS_TEMPORAL_PRICES: prices } },
  });
beforeEach(async () => {
  worker = await work();
  around.provider.reply(() => answer);
});
afterEach(() => worker.stop());

const agent = 'writer = Agent { model = "openai/gpt-own", system_prompt = "Write." }';

const replayed = (run: TactusRun): Promise<string[]> => replayRun(around.server.client, run);

describe('a budget of the run', () => {
  const start = (body: string, settings: RunSettings, limits = {}): Promise<TactusRun> =>
    around.server.tactus.start(procedureOf(`${agent}\n${body}`), {}, { settings, limits });

  it('asks a person before it is gone beyond, over a worker that comes and goes', async () => {
    const settings = { budget: { costUsd: 1.5, tokens: 5_000, approvers: ['ann'] } };
    const run = await start('for _ = 1, 5 do writer("go") end return Budget.left().cost', settings);
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      kind: 'select',
      message: 'Go beyond the budget of the run? $2 of $1.5 used',
      options: ['more', 'unlimited', 'stop'],
      approvers: ['ann'],
      context: { measure: 'cost', limit: 1.5, used: 2 },
    });
    expect(around.provider.requests).toHaveLength(2);
    expect((await run.status()).budgets).toEqual([
      {
        of: 'the run',
        on_exhausted: 'ask',
        limits: { tokens: 5_000, cost: 1.5 },
        used: { tokens: 200, cost: 2 },
      },
    ]);
    await worker.stop();
    worker = await work();
    await run.decide({ request: request?.id ?? '', value: 'more', by: 'ann' });
    // As much again as there was at first: a call more, and not another one.
    await around.provider.arrived(3);
    const [again] = await pendingOf(run);
    expect(again?.message).toBe("Go beyond the budget of the run? $3 of $3.5 used, and it wouldn't fit");
    await run.decide({ request: again?.id ?? '', value: 'unlimited', by: 'ann' });
    expect(await run.result()).toBeNull();
    expect(around.provider.requests).toHaveLength(5);
    expect(await replayed(run)).toEqual([]);
  });

  it('that is a ceiling on calls of models asks in branches, over executions, and goes on where the question is taken back', async () => {
    const run = await start(
      `local said = Parallel.map({ "a", "b", "c", "d" }, function(item) return pcall(writer, item) and 1 or 0 end)
      local sum = 0 for _, n in ipairs(said) do sum = sum + n end
      Human.approve("Well?")
      local ok, err = pcall(function() while true do writer("go") end end)
      return { sum, Error.code(err), tostring(err) }`,
      { modelCalls: 3 },
      { historyEvents: 10 },
    );
    const [first] = await pendingOf(run);
    expect(first?.message).toBe('Go beyond the budget of the run? 3 of 3 calls of models used');
    await run.decide({ request: first?.id ?? '', value: 'more' });
    const [well] = await pendingOf(run);
    expect(well?.message).toBe('Well?');
    expect(around.provider.requests).toHaveLength(4);
    await run.decide({ request: well?.id ?? '', value: true });
    const [second] = await pendingOf(run);
    expect(second?.message).toBe('Go beyond the budget of the run? 6 of 6 calls of models used');
    await run.decide({ request: second?.id ?? '', value: null, action: 'withdraw', by: 'ann' });
    expect(await run.result()).toEqual([
      4,
      'budget_exhausted',
      expect.stringMatching(/ann took the question back$/),
    ]);
    expect(around.provider.requests).toHaveLength(6);
    expect(await replayed(run)).toEqual([]);
  });

  it('holds over executions that follow each other', async () => {
    const settings = { budget: { turns: 30, onExhausted: 'error' as const } };
    const run = await start('local n = 0 while pcall(writer, "go") do n = n + 1 end return n', settings, {
      historyEvents: 60,
    });
    expect(await run.result()).toBe(30);
    expect(around.provider.requests).toHaveLength(30);
    const histories = await historiesOf(around.server.client, run.runId);
    expect(histories.length).toBeGreaterThan(1);
    expect(await replayed(run)).toEqual([]);
  });

  it.each([10, 4_000])(
    'asks for more while branches run, once, over executions and forks (historyEvents: %i)',
    async (historyEvents) => {
      const tight = 'writer = Agent { model = "openai/gpt-own", system_prompt = "Write.", max_tokens = 60 }';
      const source = procedureSource(`${tight} Procedure { budget = { tokens = 170 }, function()
        local said = Parallel.map({ "a", "b", "c" }, function(item) return writer(item).output end)
        return { #said, Human.approve("Well?") }
      end }`);
      const run = await around.server.tactus.start(source, {}, { limits: { historyEvents } });
      const asked: string[] = [];
      for (let isOver = false; !isOver;) {
        const [request] = await pendingOf(run);
        asked.push(request?.message ?? '');
        isOver = request?.message === 'Well?';
        await run.decide({ request: request?.id ?? '', value: isOver ? true : 'more' });
      }
      expect(asked).toEqual([
        expect.stringMatching(/^Go beyond the budget of the procedure\? 100 of 170 tokens used, and/),
        'Well?',
      ]);
      expect(await run.result()).toEqual([3, true]);
      expect(around.provider.requests).toHaveLength(3);
      const fork = await around.server.tactus.fork(run.runId, { at: '1' });
      const [again] = await pendingOf(fork);
      await fork.decide({ request: again?.id ?? '', value: false });
      expect(await fork.result()).toEqual([3, false]);
      expect(around.provider.requests).toHaveLength(3);
      expect(await replayed(run)).toEqual([]);
    },
  );

  it('counts answers that came to nothing', async () => {
    around.provider.reply(() => ({ text: '{"m": 1}', usage: { input: 100, output: 0 } }));
    const run = await start(
      `local picky = Agent { model = "openai/gpt-own", output = { n = field.number{required = true} } }
       local ok, problem = pcall(picky, "go")
       return { tostring(problem), Budget.left().tokens }`,
      { budget: { tokens: 1_000 } },
    );
    expect(await run.result()).toEqual([
      expect.stringMatching(/didn't follow the output schema.*after it was told so 2 times$/),
      700,
    ]);
    // Each is a checkpoint of its own, and what it was told is sent with the next.
    const { execution_log: log } = await run.log();
    expect(log.filter(({ type }) => type === 'model_call')).toHaveLength(3);
    const sent = around.provider.requests.map(({ body }) => (body['messages'] as unknown[]).length);
    expect(sent).toEqual([1, 3, 5]);
  });

  it('counts what is paid in vain by attempts of one call', async () => {
    const cut = { text: '{"n"', finishReason: 'length', usage: { input: 100, output: 0 } };
    around.provider.reply(() => cut);
    const run = await start(
      `local picky = Agent { model = "openai/gpt-own", output = { n = field.number{required = true} } }
       pcall(picky, "go")
       return Budget.left().tokens`,
      { budget: { tokens: 1_000 } },
    );
    expect(await run.result()).toBe(900);
  });
});

describe('runs that a run starts', () => {
  const child = `${agent}
    Procedure { function() writer("one") local second = writer("two") return second.exhausted or "all" end }`;

  it('have a part of its budget, and count in it', async () => {
    const source = procedureSource(
      `Procedure { budget = { tokens = 1000 }, function()
        local small = Procedure.run("child.tac", {}, { budget = { tokens = 100, on_exhausted = "stop" } })
        local whole = Procedure.run("child.tac")
        local spawned = Procedure.spawn("child.tac", {}, { budget = { tokens = 500 } })
        local last = Procedure.wait(spawned)
        return { small, whole, last, Budget.left().tokens }
      end }`,
      { 'child.tac': child },
    );
    const run = await around.server.tactus.start(source);
    expect(await run.result()).toEqual([
      { budget: 'the run', what: 'tokens', limit: 100, used: 100 },
      'all',
      'all',
      500,
    ]);
    expect(around.provider.requests).toHaveLength(5);
    expect(await replayed(run)).toEqual([]);
  });
});

describe('runs that are cancelled', () => {
  const child = `${agent} Procedure { function() writer("one") Human.approve("Go on?") return 1 end }`;
  const spawn = 'local c = Procedure.spawn("child.tac", {}) pcall(Procedure.wait, c, { timeout = 2 })';
  const start = (main: string, limits = {}): Promise<TactusRun> =>
    around.server.tactus.start(procedureSource(main, { 'child.tac': child }), {}, { limits });
  /** Tokens of all calls that the provider has answered. */
  const paid = (): number => around.provider.requests.length * 100;
  const counted = async (run: TactusRun): Promise<number> => {
    const { input_tokens, output_tokens } = (await run.status()).usage;
    return input_tokens + output_tokens;
  };

  it('count in the budget and in the usage of the run that started them, over executions', async () => {
    const run = await start(
      `Procedure { budget = { tokens = 250, on_exhausted = "error" }, function()
        local n = 0
        local function again() ${spawn} n = n + 1 Procedure.cancel(c) for _ = 1, 4 do Sleep(0.1) end end
        for _ = 1, 6 do if not pcall(again) then break end end
        return n
      end }`,
      { historyEvents: 30 },
    );
    expect(await run.result()).toBe(3);
    expect(paid()).toBe(300);
    expect(await counted(run)).toBe(300);
    expect((await historiesOf(around.server.client, run.runId)).length).toBeGreaterThan(1);
    expect(await replayed(run)).toEqual([]);
  });

  it.each([
    ['their run ends', `${spawn} return 1`],
    [
      'their branch is given up',
      `pcall(Parallel, { function() Procedure.run("child.tac", {}) end, function() Sleep(2) error("no") end }) return 1`,
    ],
  ])('count where %s', async (_how, body) => {
    const run = await start(`Procedure { function() ${body} end }`);
    expect(await run.result()).toBe(1);
    expect(paid()).toBe(100);
    expect(await counted(run)).toBe(100);
    expect(await replayed(run)).toEqual([]);
  });

  it('count where their run is cancelled', async () => {
    const run = await start('Procedure { function() return Procedure.run("child.tac", {}) end }');
    await around.provider.arrived(1);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect([0, 100]).toContain(await counted(run));
    expect(await replayed(run)).toEqual([]);
  });
});

it('a run in flight goes on with a larger budget, and pays for nothing again', async () => {
  const text = (limit: number): string =>
    `${agent}\nProcedure { budget = { turns = ${limit}, on_exhausted = "error" }, function()
      for _ = 1, 3 do writer("go") end
      Human.approve { message = "Well?" }
      for _ = 1, 3 do writer("go") end
      return "all"
    end }`;
  const run = await around.server.tactus.start(procedureSource(text(3)));
  const [request] = await pendingOf(run);
  await run.decide({ request: request?.id ?? '', value: true });
  await expect(run.result()).rejects.toThrow(
    /a turn of writer is beyond the budget of the procedure: 3 of 3/,
  );
  const fork = await around.server.tactus.fork(run.runId, { at: '4', source: procedureSource(text(6)) });
  expect(await fork.result()).toBe('all');
  expect(around.provider.requests).toHaveLength(6);
});
