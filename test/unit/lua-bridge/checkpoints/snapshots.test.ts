import { describe, expect, it } from 'vitest';
import { runFake, type FakeOptions, type FakeRun } from '../../../support/fake-host.js';

/** Runs a procedure in one program, and in several that hand the log on after so many effects. */
function both(
  source: string,
  options: FakeOptions = {},
  often: readonly number[] = [4, 31],
): { whole: FakeRun; handed: FakeRun[] } {
  const whole = runFake(source, options);
  const handed = often.map((every) =>
    runFake(source, { ...options, handsOver: (effects) => effects > 0 && effects % every === 0 }),
  );
  return { whole, handed };
}

/** What people see of a run when it has ended, and what it used. */
function seen({ ended, program, performed }: FakeRun): unknown {
  const { log } = program;
  return {
    ended,
    performed,
    count: log.count,
    state: program.state(),
    budgets: program.budgets(),
  };
}

function expectSame({ whole, handed }: ReturnType<typeof both>): void {
  if (whole.ended?.kind === 'failed') throw whole.ended.error;
  for (const each of handed) expect(seen(each)).toEqual(seen(whole));
}

const rich = `
  helper = Agent { model = "openai/gpt-5-mini", system_prompt = "Help.", budget = { turns = 100 } }
  add = Tool { name = "add", input = { n = field.number{} }, function(args) return args.n + 1 end }
  unit = Procedure {
    input = { i = field.number{} },
    whole = true,
    function(input)
      state.list = state.list or {}
      for k = 1, 4 do
        Sleep(1)
        add{ n = k }
        table.insert(state.list, { at = os.time(), chance = math.random(1000), half = k / 2 })
      end
      if input.i % 3 == 0 then state.list = nil end
      state["round " .. input.i] = input.i
      if input.i > 2 then state["round " .. (input.i - 2)] = nil end
      print("unit " .. input.i)
      helper("say " .. input.i)
      return { i = input.i, calls = Tool.call_count("add"), key = tostring(next(state)) }
    end,
  }
  main = Procedure {
    function()
      local all = {}
      print("begins")
      for i = 1, 9 do table.insert(all, unit{ i = i }) Sleep(1) end
      local keys = {}
      for key in pairs(state) do table.insert(keys, key) end
      return { all = all, keys = keys, chance = math.random(1000), said = #MessageHistory.get(), clock = os.clock() }
    end,
  }`;

const calls = 'for i = 1, 5 do unit{ i = i } end Sleep(1)';
const caught = `local ends = {}
  for i = 1, 5 do local ok, e = pcall(unit, { i = i }) ends[i] = ok and 0 or e.code end
  Sleep(1)
  return { ends = ends }`;
const branches = `Parallel.map({ 1, 2, 3, 4, 5 }, function(i) return unit{ i = i } end) Sleep(1)`;

/** A whole procedure of 30 effects and a change, and what is done with it. */
function long(change: string, run = calls): string {
  return `
    unit = Procedure {
      input = { i = field.number{} },
      whole = true,
      function(input)
        for k = 1, 30 do Sleep(1) end
        ${change}
        return { i = input.i }
      end,
    }
    main = Procedure { function() ${run} end }`;
}

describe('a whole procedure', () => {
  it('comes to the same, wherever its run continues as new', () => {
    expectSame(both(rich, {}, [1, 3, 7, 20]));
  });

  it('is handed over as one checkpoint with what it came to', () => {
    const { whole, handed } = both(long('state.n = (state.n or 0) + 1'));
    const positions = ['0', '1', '2', '3', '4'];
    expect(whole.program.log.entries.length).toBe(5 * 31 + 1);
    for (const { handed: logs } of handed) {
      const last = logs.at(-1) ?? [];
      const ended = last.filter(({ snapshot }) => snapshot !== undefined);
      expect(ended.map(({ position }) => position)).toEqual(positions.slice(0, ended.length));
      expect(ended.length).toBeGreaterThanOrEqual(4);
      expect(last.filter(({ position }) => position.startsWith('0.'))).toEqual([]);
    }
  });

  it.each([
    ['a function in the state', 'state.t = {} state.t.f = function() end'],
    ['a table that the state has twice', 'state.one = { 1 } state.other = state.one'],
    ['a declaration', 'Tool { name = "tool " .. math.random(1000), function() end }'],
  ])('is handed over whole with %s', (_, change) => {
    const { whole, handed } = both(long(change, `${calls} return {}`));
    expectSame({ whole, handed });
    for (const { handed: logs } of handed)
      expect((logs.at(-1) ?? []).filter(({ snapshot }) => snapshot !== undefined)).toEqual([]);
  });

  it('that fails, and is caught, runs again', () => {
    const { whole, handed } = both(long('if input.i == 2 then error({ code = 7 }) end', caught));
    expectSame({ whole, handed });
    const last = handed[0]?.handed.at(-1) ?? [];
    expect(last.filter(({ position }) => position.startsWith('1.')).length).toBe(30);
  });

  it('in branches runs again', () => {
    const { whole, handed } = both(long('state.n = (state.n or 0) + 1', branches));
    expectSame({ whole, handed });
    for (const { handed: logs } of handed)
      expect((logs.at(-1) ?? []).filter(({ snapshot }) => snapshot !== undefined)).toEqual([]);
  });

  it('keeps tables of the state that stay as they are', () => {
    const kept = `
      state.kept = { 1, 2 }
      state.changed = { 1, 2 }
      local kept, changed = state.kept, state.changed
      for i = 1, 5 do unit{ i = i } end
      table.insert(kept, 3)
      Sleep(1)
      return { kept = #state.kept, isSame = kept == state.kept, changed = #state.changed }`;
    const { whole, handed } = both(long('state.changed = { input.i }', kept));
    expectSame({ whole, handed });
    expect(whole.ended).toMatchObject({ output: { kept: 3, isSame: true, changed: 1 } });
  });

  it('can be a step', () => {
    const steps = `
      local all = {}
      for i = 1, 5 do
        all[i] = step("part " .. i, function()
          for k = 1, 30 do Sleep(1) end
          state.n = (state.n or 0) + i
          return { n = state.n }, "only one value"
        end, { whole = true })
      end
      Sleep(1)
      return { all = all }`;
    const { whole, handed } = both(`main = Procedure { function() ${steps} end }`);
    expectSame({ whole, handed });
    expect(whole.ended).toMatchObject({ output: { all: [1, 3, 6, 10, 15].map((n) => ({ n })) } });
    const last = handed[0]?.handed.at(-1) ?? [];
    expect(last.filter(({ position }) => !position.startsWith('4')).map(({ position }) => position)).toEqual([
      '0',
      '1',
      '2',
      '3',
    ]);
  });

  it('is no place that the rest of the run can look into', () => {
    const looks = `
      for i = 1, 5 do unit{ i = i } Sleep(1) end
      return { inside = Checkpoint.exists("0.0"), itself = Checkpoint.exists("0") }`;
    const { whole, handed } = both(long('state.n = 1', looks));
    expectSame({ whole, handed });
    expect(whole.ended).toMatchObject({ output: { inside: false, itself: true } });
  });

  it('is one in engine 10 alone', () => {
    const { handed } = both(long('state.n = 1'), { engine: 9 });
    for (const { handed: logs } of handed)
      expect((logs.at(-1) ?? []).filter(({ snapshot }) => snapshot !== undefined)).toEqual([]);
  });

  it('shows each line once', () => {
    const { whole, handed } = both(rich);
    const lines = whole.program.shown.flatMap((line) => (line.kind === 'print' ? [line.text] : []));
    expect(lines).toEqual(['begins', ...Array.from({ length: 9 }, (_, i) => `unit ${i + 1}`)]);
    for (const { program } of handed) {
      const { shown } = program.log.start;
      const here = program.shown.flatMap((line) => (line.kind === 'print' ? [line.text] : []));
      expect(here).toEqual(lines.slice(lines.length - here.length));
      expect(shown + program.shown.length).toBe(whole.program.shown.length);
    }
  });
});

/** A graph of three nodes, two of them side by side, until it has gone round so often. */
function rounds(often: number): string {
  return `
    around = Graph {
      channels = {
        n = Graph.last,
        notes = Graph.bounded(5),
        sum = function(current, update) return (current or 0) + update end,
      },
      entrypoint = "first",
      max_steps = 10000,
      nodes = {
        first = function(values)
          Sleep(1)
          state.visits = (state.visits or 0) + 1
          return { writes = { n = (values.n or 0) + 1, sum = 0.5 }, next = { "left", "right" } }
        end,
        left = function(values)
          Sleep(2)
          print("left " .. values.n)
          return { writes = { notes = { "l" .. values.n } }, next = values.n < ${often} and "first" or nil }
        end,
        right = function(values)
          Sleep(1)
          return {
            writes = { notes = { "r" .. values.n .. math.random(9) } },
            ledger = { { topic = "seen", key = "r", data = { n = values.n } } },
          }
        end,
      },
    }
    main = Procedure { function()
      Sleep(1)
      local snapshot = around({})
      Sleep(1)
      return { values = snapshot.values, step = snapshot.metadata.step, visits = state.visits, id = snapshot.checkpoint_id }
    end }`;
}

describe('the rounds of a graph', () => {
  it('come to the same, wherever the run continues as new', () => {
    const { whole, handed } = both(rounds(40), {}, [3, 10, 50]);
    expectSame({ whole, handed });
    expect(whole.ended).toMatchObject({ output: { step: 80, visits: 40, values: { n: 40, sum: 20 } } });
  });

  it('are handed over as one snapshot and a tail', () => {
    const { handed } = runFake(rounds(120), { handsOver: (effects) => effects % 7 === 0 });
    const sizes = handed.map((log) => JSON.stringify(log).length);
    expect(Math.max(...sizes.slice(-20))).toBeLessThan(1.1 * Math.max(...sizes.slice(0, 20)));
    const last = handed.at(-1) ?? [];
    expect(last.filter(({ snapshot }) => snapshot !== undefined)).toHaveLength(1);
    expect(last.length).toBeLessThan(100);
  });

  it.each([300_000, 600_000])('use up %i instructions at the same place', (totalInstructions) => {
    const source = rounds(1_000);
    const limits = { totalInstructions };
    const whole = runFake(source, { limits });
    const handed = runFake(source, { limits, handsOver: (effects) => effects % 25 === 0 });
    expect(whole.ended).toMatchObject({ kind: 'failed', error: { code: 'instruction_limit' } });
    expect(handed.ended).toEqual(whole.ended);
    expect(handed.performed).toEqual(whole.performed);
    expect(handed.program.log.start.checkpoints).toBeGreaterThan(0);
  });

  it('cost a replay as much at the end as at the beginning', () => {
    const costs: number[] = [];
    const source = rounds(100);
    let before = 0;
    runFake(source, {
      handsOver: (effects) => effects % 20 === 0,
      turn: (program) => {
        const turn = program.turn();
        if (turn.kind === 'blocked' && program.log.start.checkpoints > before) {
          before = program.log.start.checkpoints;
          costs.push(program.instructions);
        }
        return turn;
      },
    });
    expect(costs.length).toBeGreaterThan(5);
    expect(Math.max(...costs)).toBeLessThan(2 * (costs[0] ?? 0));
  });
});
