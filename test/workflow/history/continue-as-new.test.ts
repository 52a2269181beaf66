import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { answerRequests } from '../../support/answer-requests.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const child = 'Procedure { function(input) Sleep(1.5) return { doubled = 2 * input.n } end }';

/** Each continues as new at the point that it is named for. */
const cases: { where: string; source: ProcedureSource; output: JsonValue; historyEvents?: number }[] = [
  {
    where: 'in nested loops',
    source: procedureOf(`
      local seen = {}
      for i = 1, 3 do
        for j = 1, 2 do
          Sleep(0.001)
          seen[#seen + 1] = checkpoint(function() return i * 10 + j end)
        end
      end
      return seen`),
    output: [11, 12, 21, 22, 31, 32],
  },
  {
    where: 'in branches, of which some have ended',
    source: procedureOf(`
      return Parallel.map({ 1, 2, 3, 4 }, function(n)
        for i = 1, n do Sleep(0.3) end
        return n * n
      end)`),
    output: [1, 4, 9, 16],
  },
  {
    where: 'in branches whose local activities answer in one go in a replay',
    source: procedureOf(`
      guess = Model { type = "mock", value = 2 }
      return Parallel.map({ 1, 2, 3, 4, 5, 6, 7, 8 }, function(n)
        local first = guess({ n = n }).output
        Sleep(0.01)
        return first + guess({ n = n, again = true }).output + n
      end)`),
    output: [5, 6, 7, 8, 9, 10, 11, 12],
    historyEvents: 10,
  },
  {
    where: 'while a branch waits for a person',
    source: procedureOf(`
      return Parallel{
        function() return Human.input{ message = "Which?" } end,
        function() for i = 1, 6 do Sleep(0.001) end return "slept" end,
      }`),
    output: ['answer', 'slept'],
  },
  {
    where: 'while a child run is under way',
    source: procedureSource(
      `Procedure { function(input)
        return Parallel{
          function() return Procedure.run("child.tac", { n = 4 }).doubled end,
          function() for i = 1, 5 do Sleep(0.001) end return 1 end,
        }
      end }`,
      { 'child.tac': child },
    ),
    output: [8, 1],
    historyEvents: 12,
  },
  {
    where: 'in steps, in a pcall, and in a coroutine of the author',
    source: procedureOf(`
      local next_number = coroutine.wrap(function()
        for i = 1, 3 do
          Sleep(0.001)
          coroutine.yield(i)
        end
      end)
      local sum = 0
      for _ = 1, 3 do
        sum = sum + step("add", function()
          local ok, n = pcall(function()
            Sleep(0.001)
            return next_number()
          end)
          return n
        end)
      end
      local ok = pcall(function()
        Sleep(0.001)
        error("wanted")
      end)
      return { sum = sum, ok = ok }`),
    output: { sum: 6, ok: false },
  },
];

const server = serverWithWorker(startDevServer);

describe('a run continues as new', () => {
  it.each(cases)('$where', async ({ source, output, historyEvents }) => {
    const run = await server.tactus.start(source, {}, { limits: { historyEvents: historyEvents ?? 8 } });
    const answers = answerRequests(server.tactus, run.runId, () => 'answer');
    try {
      expect(await run.result()).toEqual(output);
    } finally {
      await answers.stop();
    }
    const histories = await historiesOf(server.client, run.runId);
    expect(histories.length).toBeGreaterThan(1);
    expect(failedTasks(histories)).toEqual([]);
    expect(await replayRun(server.client, run)).toEqual([]);
  });

  it('without keeping people waiting for a call that takes its time', async () => {
    const provider = await startProviderStandIn();
    provider.reply({ hang: true });
    const run = await server.tactus.start(
      procedureOf(`
        return Parallel{
          function() return pcall(http_client.get, "${provider.url}/slow", { timeout = 60 }) end,
          function() for i = 1, 12 do Human.input{ message = "Which, " .. i .. "?" } end error("answered") end,
        }`),
      {},
      { limits: { historyEvents: 12 } },
    );
    const answers = answerRequests(server.tactus, run.runId, () => 'answer');
    await expect(run.result()).rejects.toThrow('answered');
    await answers.stop();
    await provider.close();
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  });

  it('with what configuration said of it', async () => {
    const source = procedureOf('for i = 1, 5 do Sleep(0.001) end return pcall(os.time)');
    const settings = { strictDeterminism: true };
    const run = await server.tactus.start(source, {}, { settings, limits: { historyEvents: 8 } });
    expect(await run.result()).toBe(false);
    expect((await historiesOf(server.client, run.runId)).length).toBeGreaterThan(1);
  });

  it('with the task that it was started for', async () => {
    const source = procedureSource(`
      local function sleeps(name) return function() for i = 1, 4 do Sleep(0.001) end return name end end
      Task "first" { entry = sleeps("first") }
      Task "second" { depends_on = "first", entry = sleeps("second") }
      Task "run" { entry = sleeps("run") }`);
    const run = await server.tactus.start(source, {}, { task: 'second', limits: { historyEvents: 8 } });
    expect(await run.result()).toBe('second');
    expect((await historiesOf(server.client, run.runId)).length).toBeGreaterThan(1);
    const { execution_log: log } = await run.log();
    expect(log.filter(({ type }) => type === 'step').map(({ name }) => name)).toEqual(['first', 'second']);
  });

  it('with what was printed, the state, the usage and random numbers as if nothing had happened', async () => {
    const source = procedureOf(`
      local numbers = {}
      for i = 1, 5 do
        Sleep(0.001)
        numbers[i] = math.random(1000000)
        state.count = (state.count or 0) + 1
        print("round", i, os.time() > 0)
        Log.info("round", { i = i })
      end
      return numbers`);
    const run = await server.tactus.start(source, {}, { limits: { historyEvents: 8 } });
    const numbers = (await run.result()) as number[];
    expect(new Set(numbers).size).toBe(5);
    const view = await run.status();
    expect(view.printed).toEqual([1, 2, 3, 4, 5].map((i) => `round\t${i}\ttrue`));
    expect(view.logs).toHaveLength(5);
    expect(view.state).toEqual({ count: 5 });
    expect(view.checkpoints).toBe(5);
    const shown = await run.shown(4);
    // Ten lines, and two warnings: chance and time stand outside of a checkpoint.
    expect(shown.next).toBe(12);
    expect(view.warnings.map(({ line }) => line)).toEqual([6, 8]);
    expect((await historiesOf(server.client, run.runId)).length).toBeGreaterThan(1);
  });

  it('with what is waited for, and since when: a wait of weeks is one', async () => {
    const source = procedureOf(`
      return Parallel{
        function() Sleep(0.3) return Human.approve("Well?") end,
        function() return Human.approve("And then?") end,
        function() for i = 1, 8 do Sleep(0.2) end return Event.wait("go") end,
      }`);
    const run = await server.tactus.start(source, {}, { limits: { historyEvents: 10 } });
    const requests = await waitUntil(async () => {
      const pending = await run.pending();
      return pending.length === 2 && pending;
    });
    await waitUntil(async () => (await historiesOf(server.client, run.runId)).length > 3);
    const { waits } = await run.status();
    const asked = new Map(requests.map(({ position, created_at: at }) => [position, at]));
    for (const { position, since } of waits.filter(({ kind }) => kind === 'human'))
      expect(since, position).toBe(asked.get(position));
    for (const { id } of requests) await run.decide({ request: id, value: true });
    await run.send('go', 1);
    await run.result();
    const { execution_log: log } = await run.log();
    for (const { position, timestamp, duration_ms } of log.filter(({ type }) => type.startsWith('hitl_')))
      expect(new Date(Date.parse(timestamp) - duration_ms).toISOString()).toBe(asked.get(position));
  });
});
