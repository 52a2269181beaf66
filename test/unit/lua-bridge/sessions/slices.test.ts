import { describe, expect, it } from 'vitest';
import { converse, toolCall } from '../../../support/converse.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

const faultOf = (source: string): unknown =>
  outputOf(
    `local ok, err = pcall(function() ${source} end) return { ok = ok, err = err, code = not ok and Error.code(err) or nil }`,
  );

describe('a slice', () => {
  it.each([
    ['"append_all"', [1, 2, 2]],
    ['"replace_latest"', [2]],
  ])('takes items by %s', (reducer, items) => {
    const source = `local s = Session.slice("s", { reducer = ${reducer} }) s.append(1) s.append(2) s:append(2)
      return { all = s.all(), latest = s:latest(), name = s.name }`;
    expect(outputOf(source)).toEqual({ all: items, latest: 2, name: 's' });
  });

  it.each([
    ['upsert_by', ['b2', 'a1']],
    ['replace_latest_by', ['a1', 'b2']],
  ])('takes items by {"%s", "id"}', (kind, texts) => {
    const source = `local s = Session.slice("s", { reducer = { "${kind}", "id" } })
      s.append { id = "b", text = "b1" } s.append { id = "a", text = "a1" } s.append { id = "b", text = "b2" }
      local texts = {} for _, item in ipairs(s.all()) do texts[#texts + 1] = item.text end return texts`;
    expect(outputOf(source)).toEqual(texts);
  });

  it('has one item for each key after upserts, whatever was seeded', () => {
    const source = `local s = Session.slice("s", { reducer = { "upsert_by", "id" } })
      s.seed { { id = 1, n = 1 }, { id = 2, n = 2 }, { id = 1, n = 3 } } s.append { id = 1, n = 4 } return s.all()`;
    expect(outputOf(source)).toEqual([
      { id: 1, n: 4 },
      { id: 2, n: 2 },
    ]);
  });

  it('takes items by a function, which may wait', () => {
    const source = `local s = Session.slice("s", { reducer = function(items, item) Sleep(1)
        table.insert(items, 1, item) return items end })
      s.append("a") s.append("b") return s.all()`;
    expect(outputOf(source)).toEqual(['b', 'a']);
  });

  it('is as it was where its function fails, or gives no list', () => {
    const source = `local s = Session.slice("s", { reducer = function(items, item)
        table.insert(items, item) if item == 2 then error("no") end return item == 3 and 3 or items end })
      s.append(1) local ok, err = pcall(s.append, 2) local _, other = pcall(s.append, 3)
      return { all = s.all(), ok = ok, err = err, other = other }`;
    expect(outputOf(source)).toEqual({
      ...{ all: [1], ok: false, err: expect.stringContaining('no') as unknown },
      other: 'Session: the reducer of s must return the list of its items',
    });
  });

  it('is looked through by a function', () => {
    const source = `local s = Session.slice("s") s.seed { { n = 1 }, { n = 2 }, { n = 3 } }
      local some = s.where(function(item) return item.n > 1 end)
      some[1].n = 9
      s.clear(function(item) return item.n == 2 end)
      return { some = some, left = s.all(), latest = s.latest() }`;
    expect(outputOf(source)).toEqual({
      some: [{ n: 9 }, { n: 3 }],
      left: [{ n: 1 }, { n: 3 }],
      latest: { n: 3 },
    });
  });

  it('is seeded past its reducer, with one value or a list, and cleared', () => {
    const source = `local s = Session.slice("s", { reducer = "replace_latest" })
      s.seed { "a", "b" } local two = s.all() s.seed { name = "one" } local one = s.all() s.clear()
      return { two = two, one = one, none = #s.all(), latest = s.latest() == nil }`;
    expect(outputOf(source)).toEqual({ two: ['a', 'b'], one: [{ name: 'one' }], none: 0, latest: true });
  });

  it('of nothing gives nothing', () => {
    const source = `local s = Session.slice("s") s.clear()
      return { latest = s.latest() == nil, all = #s.all(), some = #s.where(function() return true end) }`;
    expect(outputOf(source)).toEqual({ latest: true, all: 0, some: 0 });
  });

  it('gives and takes copies', () => {
    const source = `local s = Session.slice("s") local mine = { n = 1 } s.append(mine) mine.n = 2 s.latest().n = 3 s.all()[1].n = 4
      return s.all()`;
    expect(outputOf(source)).toEqual([{ n: 1 }]);
  });

  it('is the same by its name, in all branches and procedures', () => {
    const source = `Session.slice("s", { reducer = "replace_latest" })
      Parallel { function() Session.slice("s").append(1) end, function() Sleep(1) Session.slice("s").append(2) end }
      return Session.slice("s", { reducer = "replace_latest" }).all()`;
    expect(outputOf(source)).toEqual([2]);
  });

  it('is filled by a tool of an agent, and looked through by the prompt of its next turn', () => {
    const source = `analyze = Tool { function(args) Session.slice("results").append { path = args.path, faults = 3 } return "done" end }
      worker = Agent { tools = { analyze }, system_prompt = function(session)
        local seen = session.slice("results").latest() return seen and seen.path or "nothing yet" end }
      worker("one") worker("two") return Session.slice("results").all()`;
    const answers = [{ toolCalls: [toolCall('analyze', { path: 'a.lua' })] }, { text: 'x' }, { text: 'y' }];
    const { output, calls, program } = converse(source, answers);
    expect(output).toEqual([{ path: 'a.lua', faults: 3 }]);
    expect(calls.map(({ system }) => system).at(0)).toBe('nothing yet');
    expect(calls.map(({ system }) => system).at(-1)).toBe('a.lua');
    const again = converse(source, [], { carried: program.log.entries });
    expect([again.output, again.calls]).toEqual([output, []]);
  });

  it('is made again by a replay, without an entry of its own', () => {
    const source = 'local s = Session.slice("s") s.append("a") Sleep(1) s.append("b") return s.all()';
    const { program } = runFake(source);
    expect(program.log.entries.map(({ type }) => type)).toEqual(['sleep']);
    expect(runFake(source, { carried: program.log.entries }).ended).toEqual({
      ...{ kind: 'completed', output: ['a', 'b'] },
    });
  });

  it.each([
    ['Session.slice()', 'the name of a slice expected'],
    ['Session.slice(("x"):rep(201))', 'the name of a slice expected, of 1 to 200 characters'],
    ['Session.slice("s", { reducer = "merge" })', 'reducer of s must be "append_all", "replace_latest"'],
    ['Session.slice("s", { reducer = { "upsert_by" } })', 'got ["upsert_by"]'],
    ['Session.slice("s", { reduce = "append_all" })', 's has no reduce: it has reducer'],
    [
      'Session.slice("s", { reducer = "append_all" }) Session.slice("s", { reducer = { "upsert_by", "id" } })',
      's has the reducer "append_all" already; it can\'t be {"upsert_by", "id"} as well',
    ],
    [
      'Session.slice("Plan", { reducer = "append_all" })',
      'Plan has the reducer "replace_latest", and no other',
    ],
    ['Session.slice("s").append()', 'append of the slice s needs a value'],
    ['Session.slice("s").append(print)', "which can't be kept or sent"],
    ['Session.slice("s").where(1)', 'function expected'],
    [
      'Session.slice("s", { reducer = { "upsert_by", "id" } }).append { name = "x" }',
      'an item of s needs a value in the field id',
    ],
  ])('%s is an error', (source, text) => {
    expect(faultOf(source)).toMatchObject({ ok: false, err: expect.stringContaining(text) as unknown });
  });
});

describe('the slice of the plan', () => {
  it('holds the plan, and takes no other value', () => {
    const source = `Plan.setup { objective = "a" } local s = Session.slice("Plan") local first = s.all()
      s.append { objective = "b", status = "active", steps = { { step_id = 7, title = "t", status = "done" } } }
      local plan = Plan.current()
      local ok, err = pcall(s.append, { objective = "c" })
      Plan.add { steps = { "next" } }
      return { first = first, plan = plan, err = err, code = Error.code(err), next = Plan.current().steps[2].step_id }`;
    expect(outputOf(source)).toEqual({
      first: [{ objective: 'a', status: 'active', steps: [] }],
      plan: { objective: 'b', status: 'active', steps: [{ step_id: 7, title: 't', status: 'done' }] },
      err: 'Session.slice("Plan").append: {"objective":"c"} is no plan',
      code: 'plan_invalid',
      next: 8,
    });
  });

  it('has its changes in the log', () => {
    const source = `Session.slice("Plan").seed { objective = "b", status = "active" } Session.slice("Plan").clear() return Plan.current() == nil`;
    const { program, ended } = runFake(source);
    expect(program.log.entries.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'plan seed',
      'plan clear',
    ]);
    expect(ended).toEqual({ kind: 'completed', output: true });
  });
});

describe('a session', () => {
  it('is emptied by reset, and keeps its reducers', () => {
    const source = `local s = Session.slice("s", { reducer = "replace_latest" }) s.append(1) Plan.setup { objective = "a" }
      Session.reset() s.append(2) s.append(3) return { all = s.all(), plan = Plan.current() == nil }`;
    expect(outputOf(source)).toEqual({ all: [3], plan: true });
  });

  it.each([
    [{ sessionItems: 3 }, 'for i = 1, 4 do s.append(i) end', '3 items', [1, 2, 3]],
    [{ sessionItems: 3 }, 's.seed { 1, 2 } s.seed { 1, 2, 3, 4 }', '3 items', [1, 2]],
    [{ sessionBytes: 20 }, 's.append("short") s.append(("x"):rep(30))', '20 bytes', ['short']],
  ])('of %j is bounded', (limits, source, most, left) => {
    const text = `local s = Session.slice("s") local ok, err = pcall(function() ${source} end)
      local all = s.all() s.clear() s.append("again")
      return { all = all, err = err, code = Error.code(err), again = s.latest() }`;
    expect(outputOf(text, { limits })).toEqual({
      ...{ all: left, code: 'payload_too_large', again: 'again' },
      err: `Session: s can't grow: a session holds at most ${most} in all of its slices. Clear what is done, or keep it in a file and its name here`,
    });
  });

  it('counts as memory of the run', () => {
    const source = `local s = Session.slice("s") for i = 1, 2000 do s.append(("x"):rep(1000)) end return "kept"`;
    const limits = { memoryBytes: 2_000_000, sessionBytes: 1_000_000_000, sessionItems: 1e9 };
    expect(() => outputOf(source, { limits })).toThrow('need more than');
  });

  it('goes on in the next pass, with its reducers and its plan', () => {
    const source = `Procedure { function()
      local s = Session.slice("s", { reducer = { "upsert_by", "id" } })
      state.n = (state.n or 0) + 1
      s.append { id = state.n % 2, n = state.n }
      if state.n == 1 then Plan.setup { objective = "long", initial_steps = { "a" } } end
      Sleep(1)
      if state.n < 4 then Procedure.continue_as_new() end
      return { all = s.all(), plan = Plan.current().objective }
    end }`;
    const { ended, passes } = runFake(source);
    expect(ended).toEqual({
      kind: 'completed',
      output: {
        all: [
          { id: 1, n: 3 },
          { id: 0, n: 4 },
        ],
        plan: 'long',
      },
    });
    expect(passes[0]?.session?.slices.map(({ name, reducer }) => [name, reducer.kind])).toEqual([
      ['Plan', 'replace_latest'],
      ['s', 'upsert_by'],
    ]);
  });

  it('takes no room in a pass where nothing was kept in it', () => {
    const source = `state.n = (state.n or 0) + 1 Session.slice("s") Sleep(1)
      if state.n < 2 then Procedure.continue_as_new() end return 1`;
    expect(runFake(source).passes[0]).not.toHaveProperty('session');
  });

  it('wants a reducer that is a function again in the next pass', () => {
    const source = (again: string): string => `state.n = (state.n or 0) + 1
      if state.n == 1 then Session.slice("s", { reducer = function(items, item) return { item } end }).append(1) end
      ${again}
      Sleep(1)
      if state.n < 2 then Procedure.continue_as_new() end
      Session.slice("s").append(2) return Session.slice("s").all()`;
    expect(() => outputOf(source(''))).toThrow('the reducer of s is a function: name it again');
    expect(
      outputOf(source('Session.slice("s", { reducer = function(_, item) return { item, item } end })')),
    ).toEqual([2, 2]);
  });
});
