import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

describe('state', () => {
  it.each<[string, string, JsonValue]>([
    [
      'is set and read',
      'state.x = 1 state.y = {a = 2} return {state.x, state.y.a, state.z == nil}',
      [1, 2, true],
    ],
    [
      'is one with State',
      'State.set("x", 1) state.y = 2 return {state.x, State.get("y"), State.get("z", 7)}',
      [1, 2, 7],
    ],
    ['is removed by nil', 'state.x = 1 state.x = nil return State.all()', []],
    ['is all', 'state.a = 1 state.b = {} return State.all()', { a: 1, b: [] }],
    [
      'is walked',
      'state.a = 1 state.b = 2 local t = {} for k, v in pairs(state) do t[#t + 1] = k .. v end return t',
      ['a1', 'b2'],
    ],
    [
      'is incremented',
      'State.increment("n") State.increment("n", 5) return {State.increment("n", -0.5), state.n}',
      [5.5, 5.5],
    ],
    [
      'stays a float',
      'state.f = 1.5 local f = State.increment("f", 0.5) return {tostring(f), tostring(state.f), tostring(State.all().f), tostring(State.increment("n"))}',
      ['2.0', '2.0', '2.0', '1'],
    ],
    [
      'is incremented by a numeral in text',
      'State.increment("n") return {tostring(State.increment("n", "2")), tostring(State.increment("n", "0x10")), tostring(State.increment("n", "0.5"))}',
      ['3', '19', '19.5'],
    ],
    ['counts past 32 bits', 'state.n = 2147483647 State.increment("n") return state.n', 2_147_483_648],
    [
      'is appended to',
      'State.append("l", 1) State.append("l", {2}) return {#state.l, state.l[2][1]}',
      [2, 2],
    ],
    ['is cleared', 'state.a = 1 State.clear() return State.all()', []],
    ['keeps tables that are changed in place', 'state.l = {} table.insert(state.l, 1) return state.l', [1]],
    [
      'keeps odd names',
      'state["a.b"] = 1 state.__index = 2 state[""] = 3 state.__proto__ = 4 return State.all()',
      JSON.parse('{"a.b": 1, "__index": 2, "": 3, "__proto__": 4}') as JsonValue,
    ],
    [
      'has defaults',
      'Procedure {state = {n = {type = "number", default = 3}}, function() return state.n end}',
      3,
    ],
    ['has defaults in a script', 'state {n = {type = "number", default = 3}} return state.n', 3],
    ['shapes empty tables as declared', 'state {o = {type = "object"}} state.o = {} return {state.o}', [[]]],
  ])('%s', (_what, source, expected) => expect(outputOf(source)).toEqual(expected));

  it.each([
    ['state.f = print', 'value_not_json', "the value is a function, which can't be kept or sent"],
    ['state.n = "x"', 'state_invalid', 'Field n must be a number, got the string "x"'],
    ['State.set("n", true)', 'state_invalid', 'Field n must be a number, got the boolean true'],
    ['State.increment("s")', 'state_invalid', 'State.increment: s is no number'],
    ['State.append("s", 1)', 'state_invalid', 'State.append: s is no list'],
    ['State.append("o", 1)', 'state_invalid', 'State.append: o is no list'],
    ['state[1] = 2', 'lua_error', 'the name must be a string'],
    ['State.set(5, 1)', 'lua_error', 'the name must be a string'],
    ['State.set({}, 1)', 'lua_error', 'the name must be a string'],
    ['State.get()', 'lua_error', 'the name must be a string'],
    ['state["\\xff"] = 1', 'lua_error', 'the name must be text'],
    ['State.x = 1', 'lua_error', 'State is read-only'],
  ])('%s is an error that can be caught', (change, code, message) => {
    const before = 'state {n = "number"}\nstate.s = "text"\nstate.o = {a = 1}\n';
    expect(runFake(before + change).ended).toMatchObject({
      error: { code, message: expect.stringContaining(message) as unknown },
    });
    expect(outputOf(`${before}return (pcall(function() ${change} end))`)).toBe(false);
  });

  it('keeps to the values that its schema allows', () => {
    const source = (value: string): string => `state {
        status = { type = "string", default = "pending", enum = { "pending", "shipped" } },
        attempts = { type = "number", default = 0 } }
      local ok, err = pcall(function() state.status = ${value} end)
      return { ok = ok, err = err, status = state.status, attempts = state.attempts }`;
    expect(outputOf(source('"shipped"'))).toEqual({ ok: true, status: 'shipped', attempts: 0 });
    expect(outputOf(source('"lost"'))).toEqual({
      ...{ ok: false, status: 'pending', attempts: 0 },
      err: expect.stringContaining('Field status must be one of "pending", "shipped", got "lost"') as unknown,
    });
  });

  it('counts in a loop, and comes to the same in a replay', () => {
    const source = `Procedure {
      output = {
        success = field.boolean { required = true, description = "Whether it ended well" },
        count = field.number { required = true, description = "How many there were" },
      },
      function(input)
        Log.info("Starting")
        state.seen = 0
        for i = 1, 5 do
          State.increment("seen")
          Log.info("Processing", { number = i })
          if i == 3 then Sleep(1) end
        end
        return { success = true, count = state.seen }
      end
    }`;
    const { ended, program } = runFake(source);
    expect(ended).toEqual({ kind: 'completed', output: { success: true, count: 5 } });
    const again = runFake(source, { carried: program.log.entries });
    expect([again.ended, again.performed]).toEqual([ended, []]);
    expect(again.program.state()).toEqual({ seen: 5 });
    expect(again.program.shown).toEqual(program.shown);
    expect(program.shown).toHaveLength(6);
  });

  it('is seen from outside, while the run waits and after it', () => {
    expect(runFake('state.x = {1, 2} Sleep(1)').program.state()).toEqual({ x: [1, 2] });
    expect(runFake('state.x = 1 error("no")').program.state()).toEqual({ x: 1 });
    expect(runFake('state.t = {} state.t.f = print Sleep(1)').program.state()).toEqual({
      error: "t.f is a function, which can't be kept or sent",
    });
  });
});
