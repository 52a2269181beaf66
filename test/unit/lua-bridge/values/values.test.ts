import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

describe('from Lua to JSON', () => {
  it.each<[string, string, JsonValue]>([
    ['nil', '(function() return nil end)()', null],
    ['booleans', '{true, false}', [true, false]],
    ['an integer', '3000000000', 3_000_000_000],
    ['the largest integer', 'math.maxinteger', 9_007_199_254_740_991],
    ['an integral float', '5.0', 5],
    ['a float', '0.1', 0.1],
    ['negative zero', '-0.0', 0],
    ['a number past 2^53', '2^60', 2 ** 60],
    ['text', '"é漢😀\\0"', 'é漢😀\0'],
    ['an array', '{1, 2, 3}', [1, 2, 3]],
    ['the empty table', '{}', []],
    ['nested empty tables', '{a = {}, b = {{}}}', { a: [], b: [[]] }],
    ['an object', '{x = 1, y = {z = "w"}}', { x: 1, y: { z: 'w' } }],
    ['a mixed table', '{1, 2, x = 3}', { '1': 1, '2': 2, x: 3 }],
    ['a list with a hole', '{1, nil, 3}', { '1': 1, '3': 3 }],
    ['a sparse list', '{[1] = 1, [1000000] = 1}', { '1': 1, '1000000': 1 }],
    ['negative keys', '{[-1] = "a", [0] = "b"}', { '-1': 'a', '0': 'b' }],
    ['integral float keys', '{[1.0] = "a"}', ['a']],
    [
      'an array built backwards',
      '(function() local t = {} for i = 3, 1, -1 do t[i] = i end return t end)()',
      [1, 2, 3],
    ],
    ['an array that lost its tail', '(function() local t = {1, 2, 3} t[3] = nil return t end)()', [1, 2]],
    ['the same table twice', '(function() local t = {1} return {t, t} end)()', [[1], [1]]],
    [
      'a table with a metatable',
      'setmetatable({a = 1}, {__index = {b = 2}, __pairs = error, __len = error})',
      { a: 1 },
    ],
    [
      'keys of every prototype',
      '{constructor = 1, toJSON = 2, ["then"] = 3, __index = 4, [""] = 5}',
      { constructor: 1, toJSON: 2, then: 3, __index: 4, '': 5 },
    ],
  ])('%s', (_what, expression, expected) =>
    expect(outputOf(`return {${expression}}`)).toEqual(expected === null ? [] : [expected]),
  );

  it('keeps __proto__ as a key of its own', () => {
    const output = outputOf('return {__proto__ = {polluted = true}, x = 1}');
    expect(Object.keys(output as object)).toEqual(['__proto__', 'x']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('keeps the order in which members were set', () => {
    expect(Object.keys(outputOf('local t = {} t.z = 1 t.a = 2 t.m = 3 t.a = 4 return t') as object)).toEqual([
      'z',
      'a',
      'm',
    ]);
  });

  it.each([
    ['a function', '{f = print}', 'f is a function'],
    ['a deep function', '{items = {1, {callback = print}}}', 'items[2].callback is a function'],
    ['a coroutine', '{coroutine.create(print)}', '[1] is a coroutine'],
    ['a handle', '{Human}', '[1] is a handle'],
    ['a cycle', '(function() local t = {} t.t = t return t end)()', 't contains itself'],
    ['a float key', '{[1.5] = 1}', 'the value has the key 1.5'],
    ['a boolean key', '{[true] = 1}', 'the value has a key that is no text'],
    ['a table as key', '{[{}] = 1}', 'the value has a key that is no text'],
    ['two keys that look the same', '{[1] = "a", ["1"] = "b", x = 1}', 'the value has the keys 1 and "1"'],
    ['not a number', '{0/0}', '[1] is not a number'],
    ['infinity', '{x = 1/0}', 'x is inf'],
    ['negative infinity', '{x = -1/0}', 'x is -inf'],
    ['a number that is too large', '{x = 1e400}', 'x is inf'],
    ['no UTF-8', '"\\xff"', 'the value is not valid UTF-8 text'],
    ['half a surrogate pair', '"\\xed\\xa0\\x80"', 'the value is not valid UTF-8 text'],
    ['a key that is no UTF-8', '{["\\xff"] = 1}', 'the value has a key that is no text'],
    [
      'too deep a table',
      '(function() local t = {} for _ = 1, 200 do t = {t} end return t end)()',
      'is nested too deep',
    ],
  ])('refuses %s, and names the place', (_what, expression, message) => {
    const { ended } = runFake(`return ${expression}`);
    expect(ended).toMatchObject({
      kind: 'failed',
      error: { code: 'value_not_json', message: expect.stringContaining(message) as unknown },
    });
  });

  it('refuses in a way that can be caught where the value is given away', () => {
    expect(outputOf('return {pcall(Json.encode, {f = print})}')).toEqual([
      false,
      "f is a function, which can't be kept or sent",
    ]);
    expect(outputOf('return {pcall(checkpoint, function() return {f = print} end)}')).toEqual([
      false,
      "f is a function, which can't be kept or sent",
    ]);
    expect(outputOf('return {pcall(function() state.f = print end)}')).toEqual([
      false,
      "the value is a function, which can't be kept or sent",
    ]);
  });
});

describe('from JSON to Lua', () => {
  it.each<[string, JsonValue, string]>([
    ['an integral number', 3_000_000_000, 'integer 3000000000'],
    ['a fraction', 0.5, 'float 0.5'],
    ['a number past 2^53', 2 ** 60, 'float 1.152921504606847e+18'],
    ['zero', 0, 'integer 0'],
  ])('%s is %j', (_what, n, expected) => {
    expect(outputOf('return math.type(input.n) .. " " .. tostring(input.n)', { input: { n } })).toBe(
      expected,
    );
  });

  it('copies the rest as it is', () => {
    const input = {
      text: 'é😀\0',
      list: [1, [2]],
      object: { a: { b: true } },
      nothing: null,
      holes: [1, null, 3],
      '': 'empty',
    };
    const source = `
      return {
        input.text == "é😀\\0", #input.list, input.list[2][1], input.object.a.b, input.nothing == nil,
        input.holes[2] == nil and input.holes[3], input[""],
      }`;
    expect(outputOf(source, { input })).toEqual([true, 2, 2, true, true, 3, 'empty']);
  });

  it('makes text of half a surrogate pair', () => {
    expect(outputOf('return input.x', { input: { x: 'a\ud800b' } })).toBe('a\ufffdb');
  });

  it('refuses what is nested too deep, as a failed run', () => {
    let input: JsonValue = {};
    for (let i = 0; i < 5_000; i++) input = { x: input };
    expect(runFake('return 1', { input }).ended).toMatchObject({
      kind: 'failed',
      error: { code: 'value_not_json' },
    });
  });

  it('gives a checkpoint the same value the first time and in replay', () => {
    const source =
      'local v = checkpoint(function() return {n = 5.0, list = {}, hole = {1, nil, 3}} end) return {math.type(v.n), next(v.list) == nil, v.hole["3"], v.hole[3] == nil}';
    const first = runFake(source);
    expect(first.ended).toMatchObject({ output: ['integer', true, 3, true] });
    expect(runFake(source, { carried: first.program.log.entries }).ended).toEqual(first.ended);
  });
});

describe('errors', () => {
  it.each([
    ['error("text")', 'main.tac:1: text'],
    ['error("text", 0)', 'text'],
    ['error({message = "said"})', 'said'],
    ['error({code = 7})', '{"code":7}'],
    ['error({message = {}, code = 7})', '{"message":[],"code":7}'],
    ['error()', '<no error object>'],
    ['error(nil)', '<no error object>'],
    ['error(42)', '42'],
    ['error(true)', 'true'],
    ['error(print)', '(error object is no text)'],
    ['error({})', '(error object is a table value)'],
    [
      'error(setmetatable({}, {__tostring = function() return "hidden" end}))',
      '(error object is a table value)',
    ],
    ['error("\\xff")', 'main.tac:1: \ufffd'],
    ['local t = nil; t.x = 1', "main.tac:1: attempt to index a nil value (local 't')"],
    ['local t = {} ; t.x.y = 1', "main.tac:1: attempt to index a nil value (field 'x')"],
    ['undefined()', "main.tac:1: attempt to call a nil value (global 'undefined')"],
    ['return {} < {}', 'main.tac:1: attempt to compare two table values'],
    ['return 1 < "2"', 'main.tac:1: attempt to compare number with string'],
    ['return "a" + 1', "main.tac:1: attempt to perform arithmetic on a string value (constant 'a')"],
    ['assert(false)', 'main.tac:1: assertion failed!'],
    ['assert(nil, "said")', 'main.tac:1: said'],
  ])('%s ends the run with %s', (source, message) => {
    const { ended } = runFake(source);
    expect(ended?.kind === 'failed' ? ended.error.message : ended).toBe(message);
  });

  it('carry the line and a traceback of Lua frames', () => {
    const source =
      'local function inner()\n  error("deep")\nend\nlocal function outer()\n  inner()\nend\nouter()';
    const { ended } = runFake(source);
    expect(ended?.kind === 'failed' && ended.error.toRunError()).toEqual({
      code: 'lua_error',
      message: 'main.tac:2: deep',
      file: 'main.tac',
      line: 2,
      traceback:
        "main.tac:2: in function 'inner'\nmain.tac:5: in function 'outer'\nmain.tac:7: in main chunk",
    });
  });

  it('are cut to what the server takes, between two characters', () => {
    const { ended } = runFake('error(("é"):rep(3000))');
    const message = ended?.kind === 'failed' ? ended.error.message : '';
    expect(new TextEncoder().encode(message).length).toBeLessThan(3_050);
    expect(message).toMatch(/^main\.tac:1: é+… \(cut\)$/);
  });
});

it('refuses a text of digits where a number is asked for, and says what to declare', () => {
  const source = 'Procedure { input = { id = field.integer{} }, function(input) return input.id end }';
  expect(() => outputOf(source, { input: { id: '9007199254740993' } })).toThrow(
    'Field id must be an integer, got the string "9007199254740993"; integers past 2^53 arrive as text: declare the field as field.string{}',
  );
});
