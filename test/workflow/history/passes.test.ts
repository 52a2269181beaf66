import { defaultPayloadConverter } from '@temporalio/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { jsonSize } from '../../../src/contract/json/json.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { procedureOf } from '../../support/procedure-source.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';
import { handedTo, soundExecutions } from '../../support/sound-executions.js';
import { waitUntil } from '../../support/wait-until.js';

const storage = new MemoryStorage();
const around = providerWithWorker({ storage });
beforeEach(() => around.provider.reply(() => ({ text: 'said', usage: { input: 10, output: 1 } })));

const executionsOf = (run: TactusRun) => soundExecutions(around.server.client, run);

/** The open request at a position, as soon as it is asked. */
function requestAt(run: TactusRun, position: number): Promise<HumanRequest> {
  return waitUntil(async () => {
    const { pending } = await run.status();
    return pending.find(({ id }) => id === `${run.runId}/${position}`) ?? false;
  });
}

const counting = procedureOf(`
  state.polls = (state.polls or 0) + 1
  print("poll " .. state.polls)
  Sleep(0.01)
  checkpoint(function() return state.polls end)
  if state.polls < input.polls then Procedure.continue_as_new(input) end
  return state.polls`);

describe('a run that begins again', () => {
  it('costs the same in every pass, and has one log with all of them', async () => {
    const polls = 6;
    const run = await around.server.tactus.start(counting, { polls });
    expect(await run.result()).toBe(polls);

    const executions = await executionsOf(run);
    expect(executions).toHaveLength(polls);
    const handed = executions.slice(1).map(handedTo);
    // Numbers have more digits, and nothing else grows.
    expect(Math.max(...handed) - Math.min(...handed)).toBeLessThan(50);
    const events = executions.map((history) => history.events?.length ?? 0);
    expect(Math.max(...events)).toBeLessThan(30);

    const view = await run.status();
    expect(view).toMatchObject({ checkpoints: 2 * polls, pass: { number: polls - 1, checkpoints: 10 } });
    expect([view.printed, view.shown_from]).toEqual([[`poll ${polls}`], polls - 1]);
    const log = await run.log();
    expect([log.execution_log.length, log.replay_index]).toEqual([2, 2 * polls]);
    const all = await run.log({ all: true });
    expect(all.execution_log.map(({ type, position }) => `${type} ${position}`)).toEqual(
      Array.from({ length: polls }, (_, i) => [`sleep ${3 * i}`, `explicit_checkpoint ${3 * i + 1}`]).flat(),
    );
    const { items } = await run.logFrom(9);
    expect(items.map(({ position }) => position)).toEqual(['13', '15', '16']);
    expect((await run.shown(0)).next).toBe(polls);
  });

  it('keeps requests apart, and what people decided early', async () => {
    const source = procedureOf(`
      local ok = Human.approve("Go on?")
      state.said = state.said or {}
      table.insert(state.said, ok)
      if #state.said < 3 then Procedure.continue_as_new() end
      return state.said`);
    const run = await around.server.tactus.start(source);
    const first = await requestAt(run, 0);
    // For the request of the third pass, while the first is open.
    const early = { request: `${run.runId}/4`, value: false, early: true, id: 'early' };
    expect(await around.server.tactus.decide(early)).toMatchObject({ outcome: 'early' });
    expect(await run.decide({ request: first.id, value: true, id: 'a' })).toMatchObject({
      outcome: 'accepted',
    });
    const second = await requestAt(run, 2);
    expect(await run.decide({ request: first.id, value: false, id: 'b' })).toMatchObject({ outcome: 'late' });
    expect(await run.decide({ request: first.id, value: true, id: 'a' })).toMatchObject({
      outcome: 'duplicate',
    });
    await run.decide({ request: second.id, value: true, id: 'c' });
    expect(await run.result()).toEqual([true, true, false]);
    await executionsOf(run);
    // Of a request of an earlier pass, also when all is over.
    expect(await run.decide({ request: first.id, value: false, id: 'd' })).toMatchObject({ outcome: 'late' });
    // Nobody was asked there, or another run was.
    for (const request of [`${run.runId}/99`, `${run.runId.replace(/./g, 'x')}/0`])
      expect(await run.decide({ request, value: true, id: 'e' })).toMatchObject({ outcome: 'unknown' });
  });

  it('keeps events that nobody has waited for, and what was said to agents', async () => {
    const source = procedureOf(`
      state.n = (state.n or 0) + 1
      if state.n == 1 then Event.wait("begin") Procedure.continue_as_new() end
      local event = Event.wait("go")
      local said = Agent.run{prompt = "Go", model = "openai/gpt-5-mini"}
      return { event = event, n = state.n }`);
    const run = await around.server.tactus.start(source);
    await run.steer({ message: 'Be brief', agent: 'agent' });
    await run.send('go', 7);
    await run.send('begin', 1);
    expect(await run.result()).toMatchObject({ n: 2, event: 7 });
    await executionsOf(run);
    const { execution_log: log } = await run.log();
    expect(log.map(({ type }) => type)).toContain('steering');
  });

  it('is one run for whoever waits for it, and mirrors all of its checkpoints', async () => {
    const files = {
      'child.tac': `Procedure { function(input)
      state.n = (state.n or 0) + 1
      Sleep(0.01)
      if state.n < 4 then Procedure.continue_as_new(input) end
      return state.n * input.times
    end }`,
    };
    const run = await around.server.tactus.start(
      procedureOf('return Procedure.run("child.tac", { times = 10 })', files),
    );
    expect(await run.result()).toBe(40);
    const child = `${run.runId}/0`;
    await waitUntil(async () => {
      const { execution_log: log } = await storage.loadProcedureMetadata(child);
      return log.length === 4;
    });
    const { execution_log: log, status } = await storage.loadProcedureMetadata(child);
    expect([status, log.map(({ position }) => position)]).toEqual(['COMPLETED', [0, 2, 4, 6]]);
  });

  it('continues as new within a pass as well, and is forked there', async () => {
    const source = procedureOf(`
      state.n = (state.n or 0) + 1
      for i = 1, 8 do Sleep(0.01) end
      local said = Human.input("Word?")
      state.all = state.all or {}
      table.insert(state.all, said)
      if state.n < 2 then Procedure.continue_as_new() end
      return state.all`);
    const run = await around.server.tactus.start(source, {}, { limits: { historyEvents: 20 } });
    for (const [position, value] of [
      [8, 'one'],
      [18, 'two'],
    ] as const)
      await run.decide({ request: (await requestAt(run, position)).id, value });
    expect(await run.result()).toEqual(['one', 'two']);
    expect((await executionsOf(run)).length).toBeGreaterThan(3);

    const fork = await readFork(run, { at: '18', set: 'other' });
    const forked = await around.server.tactus.fork(run.runId, { at: '18', set: 'other' });
    expect(await forked.result()).toEqual(['one', 'other']);
    expect(fork.start.carry.pass).toMatchObject({ number: 1, position: 10, checkpoints: 0 });
    expect((await forked.status()).checkpoints).toBe(9);
    await executionsOf(forked);
  });

  it('counts a budget over all passes', async () => {
    const source = procedureOf(`
      state.calls = (state.calls or 0) + 1
      local ok, problem = pcall(function()
        Agent.run{prompt = "Go", model = "openai/gpt-5-mini"}
      end)
      if not ok then return { calls = state.calls, code = Error.code(problem) } end
      Procedure.continue_as_new()`);
    const settings = { budget: { modelCalls: 3, onExhausted: 'error' as const } };
    const run = await around.server.tactus.start(source, {}, { settings });
    expect(await run.result()).toEqual({ calls: 4, code: 'budget_exhausted' });
    const { usage, budgets } = await run.status();
    expect(budgets?.[0]?.used).toMatchObject({ model_calls: 3 });
    expect(usage.input_tokens).toBeGreaterThan(0);
    await executionsOf(run);
  });

  it('ends where it is cancelled between two passes', async () => {
    const source = procedureOf('Sleep(0.05) Procedure.continue_as_new()');
    const run = await around.server.tactus.start(source);
    await waitUntil(async () => (await run.status()).pass !== undefined);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    await executionsOf(run);
  });

  it('fails with what is too large to be handed over', async () => {
    const source = procedureOf(`
      Sleep(0.01)
      state.text = string.rep("x", 3000000)
      local ok, problem = pcall(Procedure.continue_as_new)
      return { ok = ok, code = Error.code(problem) }`);
    const run = await around.server.tactus.start(source);
    expect(await run.result()).toEqual({ ok: false, code: 'payload_too_large' });
  });
});

it('hands over a start whose input is that of the pass', async () => {
  const source = procedureOf(`
    Sleep(0.01)
    if input.left > 0 then Procedure.continue_as_new{left = input.left - 1} end
    return input.left`);
  const run = await around.server.tactus.start(source, { left: 2 });
  expect(await run.result()).toBe(0);
  const inputs = (await executionsOf(run)).map(({ events }) => {
    const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    return payload == null ? null : defaultPayloadConverter.fromPayload<{ input: unknown }>(payload).input;
  });
  expect(inputs).toEqual([{ left: 2 }, { left: 1 }, { left: 0 }]);
  expect(jsonSize((await run.started()).pass ?? null)).toBeLessThan(1_000);
});
