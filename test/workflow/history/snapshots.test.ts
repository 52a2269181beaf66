import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';
import { handedTo, soundExecutions } from '../../support/sound-executions.js';
import { waitUntil } from '../../support/wait-until.js';

const storage = new MemoryStorage();
const around = providerWithWorker({ storage });
beforeEach(() => around.provider.reply(() => ({ text: 'said', usage: { input: 10, output: 1 } })));

const executionsOf = (run: TactusRun) => soundExecutions(around.server.client, run);

/** A procedure that does whole units of 12 checkpoints each. */
function units(unit: string, rest: string): ProcedureSource {
  const main = `
    unit = Procedure {
      input = { i = field.number{} },
      whole = true,
      function(input)
        for k = 1, 10 do checkpoint(function() return { i = input.i, k = k, text = string.rep("x", 300) } end) end
        Sleep(0.001)
        state.done = (state.done or 0) + 1
        print("unit " .. input.i)
        ${unit}
        return { i = input.i }
      end,
    }
    main = Procedure { input = { units = field.number{default = 30} }, function(input)
      print("begins")
      for i = 1, input.units do unit{ i = i } end
      ${rest}
    end }`;
  return { entry: 'main.tac', files: { 'main.tac': main } };
}

const limits = { historyEvents: 40 };

describe('a run of whole units', () => {
  it('hands on what they came to, and shows all of them', async () => {
    const run = await around.server.tactus.start(units('', 'return { done = state.done }'), {}, { limits });
    expect(await run.result()).toEqual({ done: 30 });
    const executions = await executionsOf(run);
    expect(executions.length).toBeGreaterThan(3);
    // Of each unit one checkpoint, with what it came to.
    const handed = executions.slice(1).map(handedTo);
    expect(Math.max(...handed)).toBeLessThan(9_000);

    const view = await run.status();
    expect(view.checkpoints).toBe(30 * 12);
    expect(view.pass).toMatchObject({ number: 0 });
    const { execution_log: all } = await run.log({ all: true });
    const units30 = Array.from({ length: 30 }, (_, i) => i);
    const inOne = (i: number): string[] => [...Array.from({ length: 11 }, (_, k) => `${i}.${k}`), String(i)];
    expect(all.map(({ position }) => position)).toEqual(units30.flatMap(inOne));
    const { items, next } = await run.logFrom(5);
    expect(items.map(({ position }) => position)).toEqual(units30.flatMap(inOne).slice(5));
    expect(next).toBe(30 * 12);
    const { shown } = await run.shownFrom(0);
    expect(shown.map((line) => (line.kind === 'print' ? line.text : ''))).toEqual([
      'begins',
      ...units30.map((i) => `unit ${i + 1}`),
    ]);
    await waitUntil(async () => {
      const record = await storage.loadProcedureMetadata(run.runId);
      return record?.status === 'COMPLETED' && record.execution_log.length === 30;
    });
  });
});

/** A graph that goes round `input.rounds` times, and asks a person in one of the rounds. */
const around100: ProcedureSource = {
  entry: 'main.tac',
  files: {
    'main.tac': `
      main = Graph {
        channels = { n = Graph.last, left = Graph.last, notes = Graph.bounded(3), asked = Graph.last },
        entrypoint = "work",
        max_steps = 10000,
        nodes = {
          work = function(values)
            Sleep(0.001)
            local n = (values.n or 0) + 1
            if n == 15 then return { writes = { n = n }, next = { "ask", "note" } } end
            return { writes = { n = n }, next = "note" }
          end,
          ask = function() return { writes = { asked = Human.input { message = "Which?" } } } end,
          note = function(values)
            return { writes = { notes = { "note " .. values.n } }, next = values.n < values.left and "work" or nil }
          end,
        },
      }`,
  },
};

describe('a graph that goes round and round', () => {
  it('hands on its last super-step, and shows all of them', async () => {
    const rounds = 60;
    const run = await around.server.tactus.start(around100, { left: rounds }, { limits });
    const request = await waitUntil(async () => (await run.status()).pending[0] ?? false);
    await run.decide({ request: request.id, value: 'this one' });
    const values = await run.result();
    expect(values).toMatchObject({ n: rounds, asked: 'this one', notes: ['note 58', 'note 59', 'note 60'] });
    const executions = await executionsOf(run);
    const handed = executions.slice(1).map(handedTo);
    expect(handed.length).toBeGreaterThan(5);
    expect(Math.max(...handed.slice(-3))).toBeLessThan(1.25 * Math.max(...handed.slice(0, 3)));

    const { execution_log: all, replay_index: count } = await run.log({ all: true });
    expect(all).toHaveLength(count);
    const steps = all.flatMap(({ type, name }) => (type === 'super_step' ? [name] : []));
    expect(steps).toEqual(['input', ...Array.from({ length: 2 * rounds }, (_, i) => `step ${i + 1}`)]);
    // The request was answered in a part of the log that a snapshot stands for.
    expect(await run.decide({ request: request.id, value: 'another', id: 'late' })).toMatchObject({
      outcome: 'late',
    });
    expect((await run.answeredRequest(request.id))?.result).toMatchObject({ value: 'this one' });
  });

  it('goes on in a fork with another source, and in an import of its export', async () => {
    const { tactus } = around.server;
    const text = around100.files['main.tac'] ?? '';
    const late: ProcedureSource = {
      entry: 'main.tac',
      files: { 'main.tac': text.replace('n == 15', 'n == 30') },
    };
    const run = await tactus.start(late, { left: 32 }, { limits });
    const asks = async (of: TactusRun): Promise<string> =>
      waitUntil(async () => (await of.status()).pending[0]?.id ?? false);
    await asks(run);
    expect((await run.log()).pass?.checkpoints).toBeGreaterThan(50);
    const record = JSON.stringify(await tactus.export(run.runId));
    // Another tool stands before, and notes are written in another way from now on.
    const edited = `extra = Tool { function() return 1 end }\n${late.files['main.tac']}`.replace(
      '"note " .. values.n',
      '"new " .. values.n',
    );
    const { execution_log: log } = await run.log();
    const at = log.findLast(({ type }) => type === 'super_step')?.position ?? '';
    const forked = await tactus.fork(run.runId, {
      at,
      source: { entry: 'main.tac', files: { 'main.tac': edited } },
    });
    const imported = await tactus.import(record, { source: late });
    for (const each of [run, forked, imported]) {
      const request = await asks(each);
      expect(await each.decide({ request, value: each.runId })).toMatchObject({ outcome: 'accepted' });
      const word = each === forked ? 'new' : 'note';
      const notes = [30, 31, 32].map((n) => `${word} ${n}`);
      expect(await each.result()).toMatchObject({ n: 32, asked: each.runId, notes });
      await executionsOf(each);
    }
  });

  it('can be forked at a super-step since the snapshot, and not before', async () => {
    const run = await around.server.tactus.start(around100, { left: 12 }, { limits });
    await run.result();
    const { execution_log: here, pass } = await run.log();
    expect(pass?.checkpoints).toBeGreaterThan(20);
    const last = here.filter(({ type }) => type === 'super_step').at(-1);
    const forked = await around.server.tactus.fork(run.runId, { at: last?.position ?? '' });
    expect(await forked.result()).toMatchObject({ n: 12 });
    await executionsOf(forked);
    await expect(around.server.tactus.fork(run.runId, { at: '0.2' })).rejects.toThrow(/0\.2/);
  });
});
