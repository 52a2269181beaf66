import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';

const around = serverWithProvider();
const answer = { text: 'Hello', usage: { input: 90, output: 10 } };
let worker: TestWorker;

beforeEach(async () => {
  worker = await startWorker(around.server, { activities: { env: around.env } });
  around.provider.reply(() => answer);
});
afterEach(() => worker.stop());

const agent = 'writer = Agent { model = "openai/gpt-own", system_prompt = "Write." }';

const replayed = (run: TactusRun): Promise<string[]> => replayRun(around.server.client, run);

const limits = { historyEvents: 10 };
const calls = (count: number): string => `for _ = 1, ${count} do writer("go") end`;
const files = {
  'two.tac': `${agent} Procedure { function() ${calls(2)} return "two" end }`,
  'five.tac': `${agent} Procedure { function()
      local ok, err = pcall(function() ${calls(5)} end)
      return ok and "five" or tostring(err)
    end }`,
  'above.tac': `${agent} Procedure { function() return Procedure.run("two.tac") end }`,
  'rich.tac': `${agent} Procedure { budget = { model_calls = 50 }, function() ${calls(2)} return "rich" end }`,
};
const asks = (used: number, limit = used): string =>
  `Go beyond the budget of the run? ${used} of ${limit} calls of models used`;
const start = (body: string, settings: RunSettings): Promise<TactusRun> =>
  around.server.tactus.start(procedureOf(`${agent}\n${body}`, files), {}, { settings, limits });
/** The open request of a run, or of one below it, whose run it is, and how many calls there were. */
async function asked(run: TactusRun): Promise<{ id: string; message: string; calls: number }> {
  const [request, ...others] = await waitUntil(async () => {
    const found = await around.server.tactus.pending(run.runId);
    return found.length > 0 ? found : null;
  });
  expect(others).toEqual([]);
  return {
    ...{ id: request?.id ?? '', message: request?.message ?? '' },
    calls: around.provider.requests.length,
  };
}
const decide = (id: string, value: string | null, rest = {}): Promise<unknown> =>
  around.server.tactus.decide({ request: id, value, by: 'ann', ...rest });
/** A run, and all below it, replay. */
async function expectSound(run: TactusRun, children: readonly string[]): Promise<void> {
  expect(await replayed(run)).toEqual([]);
  for (const child of children)
    expect(await replayed(around.server.tactus.attach(`${run.runId}/${child}`))).toEqual([]);
}

it.each([
  ['Procedure.run', 'Procedure.run("two.tac")'],
  ['Procedure.spawn', 'Procedure.wait(Procedure.spawn("two.tac"))'],
  ['a run between', 'Procedure.run("above.tac")'],
  ['one with a budget of its own', 'Procedure.run("rich.tac")'],
  ['one that is given a larger budget', 'Procedure.run("two.tac", {}, { budget = { model_calls = 90 } })'],
  [
    'one that fails',
    'pcall(Procedure.run, "two.tac", {}, { budget = { turns = 2, on_exhausted = "error" } })',
  ],
])('counts calls of runs that it starts, by %s', async (_how, call) => {
  const run = await start(`${call} writer("go") Sleep(0.1) Sleep(0.1) ${call} return "done"`, {
    modelCalls: 4,
  });
  const { id, message, calls: made } = await asked(run);
  expect([message, made]).toEqual([asks(4), 4]);
  await decide(id, 'unlimited');
  expect(await run.result()).toBe('done');
  expect(around.provider.requests).toHaveLength(5);
  const below = (await run.log()).execution_log.filter(({ type }) => /procedure_(call|spawn)/.test(type));
  await expectSound(
    run,
    below.map(({ position }) => position),
  );
});

it.each(['run', 'spawn'])(
  'asks once: what a child is given holds for whoever has started it (%s)',
  async (how) => {
    const call = how === 'run' ? 'Procedure.run("five.tac")' : 'Procedure.wait(Procedure.spawn("five.tac"))';
    const run = await start(`${calls(1)} local got = ${call} ${calls(2)} return got`, { modelCalls: 4 });
    const first = await asked(run);
    expect([first.message, first.calls, first.id.startsWith(`${run.runId}/`)]).toEqual([asks(4), 4, true]);
    await decide(first.id, 'more');
    // Eight are allowed now: five of the child, and three of its own.
    expect(await run.result()).toBe('five');
    expect(around.provider.requests).toHaveLength(8);
  },
);

it('that was lifted for a child is lifted, and one that was lifted holds for no child', async () => {
  const run = await start(
    `${calls(1)} Procedure.run("five.tac") ${calls(4)} return Procedure.run("five.tac")`,
    { modelCalls: 2 },
  );
  await decide((await asked(run)).id, 'unlimited');
  expect(await run.result()).toBe('five');
  expect(around.provider.requests).toHaveLength(15);
});

it('asks nobody again who has given no more, neither above nor below', async () => {
  const run = await start(
    `${calls(1)} local below = Procedure.run("five.tac")
       local ok, err = pcall(writer, "go")
       return { below, Error.code(err), tostring(err), Procedure.run("five.tac") }`,
    { modelCalls: 3 },
  );
  await decide((await asked(run)).id, 'stop');
  const [below, code, own, later] = (await run.result()) as string[];
  expect([below, own, later]).toEqual(Array(3).fill(expect.stringMatching(/3 of 3.*ann gave no more/)));
  expect(code).toBe('budget_exhausted');
  expect(around.provider.requests).toHaveLength(3);
});

it('goes on where the question of a child is taken back: whoever comes next asks', async () => {
  const run = await start(`local below = Procedure.run("five.tac") writer("go") return below`, {
    modelCalls: 2,
  });
  const first = await asked(run);
  await decide(first.id, null, { action: 'withdraw' });
  const second = await waitUntil(async () => (await run.pending())[0] ?? null);
  expect(second.message).toBe(asks(2));
  await decide(second.id, 'more');
  expect(await run.result()).toMatch(/ann took the question back/);
  expect(around.provider.requests).toHaveLength(3);
});

it('counts what a child has called that is cancelled at its question', async () => {
  const run = await start(
    `local c = Procedure.spawn("five.tac") Event.wait("enough") Procedure.cancel(c)
       Sleep(1) Sleep(1) Sleep(1) writer("go") return "done"`,
    { modelCalls: 2 },
  );
  await asked(run);
  await run.send('enough', null);
  const own = await waitUntil(async () => (await run.pending())[0] ?? null);
  expect(own.message).toBe(asks(2));
  await decide(own.id, 'more');
  expect(await run.result()).toBe('done');
  expect(around.provider.requests).toHaveLength(3);
  await expectSound(run, ['0']);
});

it('ends with a run that is cancelled at the question of its child', async () => {
  const run = await start('return Procedure.run("five.tac")', { modelCalls: 2 });
  await asked(run);
  await run.cancel();
  await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
  expect(around.provider.requests).toHaveLength(2);
});

it.each([
  ['the same', { modelCalls: 3 }, asks(3)],
  ['fewer', { modelCalls: 2 }, asks(2)],
  ['more', { modelCalls: 5 }, asks(5)],
])('is replaced by a budget of the run that allows %s: one question', async (_how, budget, message) => {
  const run = await start(`${calls(6)} return Procedure.run("two.tac")`, { budget, modelCalls: 3 });
  const first = await asked(run);
  expect([first.message, first.calls]).toEqual([message, budget.modelCalls]);
  await decide(first.id, 'unlimited');
  expect(await run.result()).toBe('two');
  expect(around.provider.requests).toHaveLength(8);
});

it('beside a budget of something else asks what that does not', async () => {
  const run = await start(`${calls(4)} return 1`, { budget: { turns: 9 }, modelCalls: 3 });
  const { id, message } = await asked(run);
  expect(message).toBe(asks(3));
  await decide(id, 'more');
  expect(await run.result()).toBe(1);
});

it('of no calls asks nobody, and budgets that count calls count those of runs that are started', async () => {
  const run = await start(
    `local free = Procedure.run("five.tac")
       local ok, err = pcall(function()
         return Parallel.map({ 1 }, function() Procedure.run("two.tac") Procedure.run("two.tac") writer("go") return 1 end,
           { budget = { model_calls = 4, on_exhausted = "error" } })
       end)
       return { free, ok, tostring(err) }`,
    { modelCalls: 0 },
  );
  expect(await run.result()).toEqual(['five', false, expect.stringMatching(/4 of 4 calls of models used/)]);
  expect(around.provider.requests).toHaveLength(9);
  expect(await replayed(run)).toEqual([]);
});

it.each([
  ['turns', 'writer("go")', '3 of 3 turns used'],
  ['tool_calls', 'look {}', '3 of 3 calls of tools used'],
])(
  '%s of runs that are started count in the budgets around, as soon as it is known how they ended',
  async (measure, use, used) => {
    const look = 'look = Tool { description = "Looks.", function() return 1 end }';
    const child = (below: string): string =>
      `${agent} ${look} Procedure { function() ${use} ${below} return "used" end }`;
    const source = procedureSource(
      `${agent} ${look} Procedure {
      budget = { ${measure} = 3, on_exhausted = "error" },
      function()
        local below = Procedure.wait(Procedure.spawn("above.tac"))
        ${use}
        local ok, err = pcall(function() ${use} end)
        return { below = below, code = Error.code(err), message = tostring(err) }
      end,
    }`,
      { 'above.tac': child('Procedure.run("below.tac")'), 'below.tac': child('') },
    );
    const run = await around.server.tactus.start(source, {}, { limits });
    expect(await run.result()).toEqual({
      ...{ below: 'used', code: 'budget_exhausted' },
      message: expect.stringContaining(used) as unknown,
    });
    await expectSound(run, ['0']);
  },
);
