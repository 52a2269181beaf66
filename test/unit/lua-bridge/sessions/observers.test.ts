import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';

describe('an observer of a slice', () => {
  it('is called on each change, with what was there and what is there', () => {
    const source = `local s, seen = Session.slice("s"), {}
      s.observe(function(before, after) seen[#seen + 1] = { before = before, after = after } end)
      s.append("a") s:append("b") s.seed { "c" } s.clear() s.all() s.latest()
      local text = Session.snapshot()
      s.append("d") Session.reset()
      s.append("e") Session.restore(text)
      return seen`;
    const e: string[] = [];
    expect(outputOf(source)).toEqual([
      ...[
        { before: e, after: ['a'] },
        { before: ['a'], after: ['a', 'b'] },
        { before: ['a', 'b'], after: ['c'] },
      ],
      ...[
        { before: ['c'], after: e },
        { before: e, after: ['d'] },
        { before: ['d'], after: e },
      ],
      ...[
        { before: e, after: ['e'] },
        { before: ['e'], after: e },
      ],
    ]);
  });

  it('is not called where nothing has changed, or another slice has', () => {
    const source = `local s, t, count = Session.slice("s", { reducer = {"upsert_by", "id"} }), Session.slice("t"), 0
      s.observe(function() count = count + 1 end)
      s.append { id = 1, text = "a" } s.append { id = 1, text = "a" } s.seed { { text = "a", id = 1 } }
      s.clear(function() return false end) t.append(1) Session.checkpoint()
      return count`;
    expect(outputOf(source)).toBe(1);
  });

  it('can be taken back, once', () => {
    const source = `local s, count = Session.slice("s"), 0
      local stop = s.observe(function() count = count + 1 end)
      s.observe(function() count = count + 10 end)
      s.append(1)
      local first, second = stop(), stop()
      s.append(2)
      return { count, first, second }`;
    expect(outputOf(source)).toEqual([21, true, false]);
  });

  it('that fails keeps no other one from being called, and ends nothing', () => {
    const source = `local s, seen = Session.slice("s"), {}
      s.observe(function() error("on purpose") end)
      s.observe(function(_, after) seen[#seen + 1] = #after end)
      s.append(1) s.append(2)
      return seen`;
    const run = runFake(`Procedure { function() ${source} end }`);
    expect(run.ended).toMatchObject({ kind: 'completed' });
    const warnings = run.program.shown.filter(({ kind }) => kind === 'log');
    expect(warnings).toHaveLength(2);
    expect(JSON.stringify(warnings[0])).toContain(
      'an observer of the slice s failed: main.tac:2: on purpose',
    );
  });

  it('may wait, change other slices, and see changes of the plan', () => {
    const source = `local plan, log = Session.slice("Plan"), Session.slice("log")
      plan.observe(function(before, after)
        Sleep(1)
        log.append { from = before[1] and before[1].status, to = after[1] and after[1].status }
      end)
      local steps = 0
      log.observe(function() steps = steps + 1 end)
      Plan.setup { objective = "x", initial_steps = { "a" } }
      Plan.update { step_id = 1, status = "done" }
      plan.clear()
      return { log.all(), steps }`;
    expect(outputOf(source)).toEqual([
      [{ to: 'active' }, { from: 'active', to: 'completed' }, { from: 'completed' }],
      3,
    ]);
  });

  it('is told of what a transaction changes once it has succeeded, and of nothing where it fails', () => {
    const source = `local s, seen = Session.slice("s"), {}
      local change = Tool { transaction = true, function(args)
        s.append(1) s.append(2) seen[#seen + 1] = #s.all()
        if args.fails then error("no") end
        return true
      end }
      s.observe(function(before, after) seen[#seen + 1] = { #before, #after } end)
      pcall(change, { fails = true })
      seen[#seen + 1] = "then"
      change { fails = false }
      return seen`;
    expect(outputOf(source)).toEqual([2, 'then', 2, [0, 2]]);
  });

  it('is a function, and one that changes its own slice without end ends as all that does', () => {
    expect(() => outputOf('Session.slice("s").observe(1)')).toThrow('function expected');
    const source = `local s = Session.slice("s") s.observe(function(_, after) s.append(#after) end) s.append(1) return #s.all() > 1`;
    expect(runFake(`Procedure { function() ${source} end }`).ended?.kind).toMatch(/completed|failed/);
  });
});
