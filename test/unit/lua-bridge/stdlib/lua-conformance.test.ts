import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

/** The engine before Lua was compared with what its official tests look at. */
const older = { engine: 8 };

const errorOf = (body: string, options = {}): JsonValue =>
  outputOf(`local ok, e = pcall(function() ${body} end) return e`, options);

describe('the remainder of floats', () => {
  it.each([
    ['1e-200 % -1e-190', -9.999999999e-191],
    ['-1e-200 % 1e-190', 9.999999999e-191],
    ['5e-324 % -1e-323', -5e-324],
    ['-5e-324 % 1e-323', 5e-324],
    ['-5e-324 % 2.2250738585072014e-308', 2.225073858507201e-308],
    ['1e-200 % 1e-190', 1e-200],
    ['-1e-200 % -1e-190', -1e-200],
  ])('%s is %s, folded or not', (expression, expected) => {
    expect(outputOf(`return ${expression}`)).toBe(expected);
    const [a, b] = expression.split(' % ');
    expect(outputOf(`local a, b = ${a}, ${b} return a % b`)).toBe(expected);
  });

  it.each([
    ['-1.0 % math.huge', 'inf'],
    ['1.0 % -math.huge', '-inf'],
    ['1.0 % math.huge', '1.0'],
    ['-1.0 % -math.huge', '-1.0'],
    ['0.0 % -5.0', '0.0'],
    ['-0.0 % 5.0', '-0.0'],
    ['-6.0 % -3.0', '-0.0'],
    ['5.0 % 0.0 ~= 5.0 % 0.0', 'true'],
    ['math.huge % 2.0 ~= math.huge % 2.0', 'true'],
    ['1e308 % 1e-308', '3.4984455462456267e-309'],
    ['-1 // math.huge', '-0.0'],
    ['1 // -math.huge', '-0.0'],
    ['-0.0 // 1', '-0.0'],
    ['1e308 // 1e-308', 'inf'],
  ])('%s is %s', (expression, expected) => expect(outputOf(`return tostring(${expression})`)).toBe(expected));

  it('was that of the dividend where the product is too small, and is in older runs', () =>
    expect(outputOf('return 1e-200 % -1e-190', older)).toBe(1e-200));
});

describe('overflows in a message handler', () => {
  const overflowing: [string, string][] = [
    ['calls that fail', 'local function f() assert(pcall(f)) end return xpcall(f, f)'],
    ['Lua calls', 'local function f() return 1 + f() end return xpcall(f, f)'],
    ['callbacks', 'local function f() return (("x"):gsub("x", f)) end return xpcall(f, f)'],
    ['coroutines', 'local function f() return coroutine.wrap(f)() end return xpcall(f, f)'],
    ['sorts', 'local function f() table.sort({1, 2}, f) end return xpcall(f, f)'],
    [
      'metamethods',
      'local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) local function f() return t[1] end return xpcall(f, f)',
    ],
    ['errors', 'return xpcall(error, error, "x")'],
    ['in a coroutine', 'local function f() assert(pcall(f)) end return coroutine.wrap(xpcall)(f, f)'],
  ];
  it.each(overflowing)('are caught: %s', (_, body) =>
    expect(outputOf(`local ok, e = (function() ${body} end)() return {ok, e}`)).toEqual([
      false,
      'error in error handling',
    ]),
  );

  it('end a run that began before', () =>
    expect(
      runFake('local function f() assert(pcall(f)) end return tostring(xpcall(f, f))', older).ended,
    ).toMatchObject({ kind: 'failed', error: { code: 'instruction_limit' } }));

  it('leave room for 170 handlers, one within the other', () => {
    const err =
      'local function err(n) if type(n) ~= "number" then return n elseif n == 0 then return "the end" else error(n - 1) end end';
    expect(outputOf(`${err} return select(2, xpcall(error, err, 170))`)).toBe('the end');
    expect(outputOf(`${err} return select(2, xpcall(error, err, 300))`)).toBe('C stack overflow');
  });

  it('are forgotten by the next protected call', () =>
    expect(
      outputOf(`
        local function loop() return 1 + loop() end
        for i = 1, 30 do xpcall(loop, loop) end
        local calls = 0
        local _, e = xpcall(error, function(m)
          calls = calls + 1
          if calls < 5 then error("again") end
          return calls
        end, "x")
        return e`),
    ).toBe(5));

  it('may be caught by the handler itself', () =>
    expect(
      outputOf(`
        local function loop() return 1 + loop() end
        local ok, e = xpcall(loop, function(m)
          local _, inner = pcall(loop)
          return tostring(inner)
        end)
        return e`),
    ).toBe('error in error handling'));
});

describe('table.move', () => {
  it.each([
    ['{}, 1, math.maxinteger, 2', "bad argument #4 to 'move' (destination wrap around)"],
    ['{}, 1, math.maxinteger, math.maxinteger', "bad argument #4 to 'move' (destination wrap around)"],
    ['{}, 0, math.maxinteger, 2', "bad argument #3 to 'move' (too many elements to move)"],
    ['{}, math.mininteger, 0, 1', "bad argument #3 to 'move' (too many elements to move)"],
    ['{}, math.maxinteger - 1, math.maxinteger, math.maxinteger', 'destination wrap around'],
    ['{}, 1, 2^53, 1', 'number has no integer representation'],
  ])('refuses %s', (values, expected) => expect(errorOf(`table.move(${values})`)).toContain(expected));

  it('moves to and from the ends of what integers there are', () =>
    expect(
      outputOf(`
        local t = table.move({[math.maxinteger - 1] = "a", [math.maxinteger] = "b"}, math.maxinteger - 1, math.maxinteger, 1)
        local back = table.move(t, 1, 2, math.maxinteger - 1, {})
        return {t[1], t[2], back[math.maxinteger - 1], back[math.maxinteger]}`),
    ).toEqual(['a', 'b', 'a', 'b']));

  it('ends a run that began before where the range is too long', () =>
    expect(runFake('pcall(table.move, {}, 1, math.maxinteger, 2) return 1', older).ended).toMatchObject({
      error: { code: 'instruction_limit' },
    }));
});

describe('string.rep', () => {
  it.each(['("", 1e9)', '("", math.maxinteger)', '("", 1e12, "")', '("x", 0, "y")', '("x", -1)'])(
    'makes nothing of %s at once',
    (values) =>
      expect(outputOf(`return string.rep${values}`, { limits: { totalInstructions: 5_000 } })).toBe(''),
  );

  it.each([
    '("x", 1e10)',
    '("x", math.maxinteger)',
    '("", 1e10, ",")',
    '(("x"):rep(1000), 2^40)',
    '("ab", 2^31)',
  ])('refuses %s, which can be caught', (values) =>
    expect(errorOf(`string.rep${values}`)).toContain('resulting string too large'),
  );

  it('ends the run where a text could be, but is longer than a run may have', () =>
    expect(runFake('pcall(string.rep, "x", 1e9) return 1').ended).toMatchObject({
      error: { code: 'memory_limit' },
    }));

  it('costs a step for each time in a run that began before', () =>
    expect(runFake('return string.rep("", 1e9)', older).ended).toMatchObject({
      error: { code: 'instruction_limit' },
    }));
});

describe('what is called in place of a value', () => {
  const chain = (n: number): string =>
    `local f = function(...) return select("#", ...) end for i = 1, ${n} do f = setmetatable({}, {__call = f}) end`;

  it('may be a value that is called as well', () => {
    expect(outputOf(`${chain(2)} return f("a", "b")`)).toBe(4);
    expect(outputOf(`${chain(15)} return f()`)).toBe(15);
    expect(outputOf(`${chain(3)} local function g() return f(1) end return g()`)).toBe(4);
    expect(outputOf(`${chain(3)} return select(2, pcall(f, nil))`)).toBe(4);
    expect(outputOf(`${chain(3)} for n in f do return n end`)).toBe(5);
  });

  it('ends after fifteen', () => {
    expect(errorOf(`${chain(16)} return f()`)).toBe("main.tac:1: '__call' chain too long");
    expect(errorOf('local t = {} setmetatable(t, {__call = t}) t()')).toBe(
      "main.tac:1: '__call' chain too long",
    );
  });

  it('must be something that can be called', () =>
    expect(errorOf('local t = setmetatable({}, {__call = 5}) t()')).toContain(
      'attempt to call a number value',
    ));

  it('is a function in runs that began before', () =>
    expect(errorOf(`${chain(2)} return f()`, older)).toContain('attempt to call a table value'));
});

describe('the line of a call', () => {
  it.each([
    ['\nnothing\n(\n1)', 3],
    ['\nnothing\n{\n1}', 3],
    ['\nnothing\n"text"', 3],
    ['\nlocal t = {}\nt.a = function(s) return s end\nt\n.a(t)\n:missing(\n1\n)', 6],
    ['\nlocal t = {}\nt\n:missing\n(1)', 5],
    ['\nlocal f = function() return nil end\nf(\n1\n)(\n2\n)', 5],
  ])('is that of its arguments: %j', (body, line) => {
    const message = outputOf(`local ok, e = pcall(function()${body} end) return e`) as string;
    expect(message).toMatch(new RegExp(`^main\\.tac:${line}: attempt to call`));
  });

  it('is that of what is called in runs that began before', () =>
    expect(errorOf('\nlocal nothing\nnothing\n(\n1)', older)).toMatch(/^main\.tac:3: /));
});

describe('what the library of Lua 5.5 has', () => {
  it.each([
    ['{math.frexp(10)}', [0.625, 4]],
    ['{math.frexp(-0.1)}', [-0.8, -3]],
    ['{math.frexp(0)}', [0, 0]],
    ['{math.frexp(5e-324)}', [0.5, -1073]],
    ['{math.frexp(1.7976931348623157e308)}', [0.9999999999999999, 1024]],
    ['{math.ldexp(0.625, 4), math.ldexp(3, -1), math.ldexp(-1, 3)}', [10, 1.5, -8]],
    ['math.ldexp(1, -1074)', 5e-324],
    ['math.ldexp(1, -1075)', 0],
    ['math.ldexp(1.5, -1074)', 1e-323],
    ['math.ldexp(5e-324, 2097)', 2 ** 1023],
    ['tostring(math.ldexp(1, 1024))', 'inf'],
    ['tostring(math.ldexp(0, 9007199254740991))', '0.0'],
    ['{table.create(10), #table.create(5, 5)}', [[], 0]],
    ['{math.randomseed(5)}', [5, 0]],
    ['{math.randomseed(5, 7)}', [5, 7]],
    ['string.packsize("c3000000000")', 3_000_000_000],
    [
      'string.format("%p", 1) .. string.format("%p", nil) .. string.format("%8p", true)',
      '(null)(null)  (null)',
    ],
    ['string.format("%p", print) == string.format("%p", print)', true],
    ['string.format("%p", {}) == string.format("%p", {})', false],
    ['string.format("%p", ("a"):rep(10)) == string.format("%p", ("aa"):rep(5))', true],
    ['#string.format("%-40p", {})', 40],
    ['(function() local t = {} return tostring(t) == "table: " .. string.format("%p", t) end)()', true],
    ['#string.pack("s", "abc")', 11],
    ['string.unpack("i1", "abc", -4)', 97],
    ['select(2, pcall(math.random, 2, 1))', "bad argument #1 to 'math.random' (interval is empty)"],
    [
      '(function() local co co = coroutine.wrap(function() return select(2, pcall(co)) end) return co() end)()',
      'cannot resume non-suspended coroutine',
    ],
  ])('%s is %j', (expression, expected) => expect(outputOf(`return ${expression}`)).toEqual(expected));

  it.each([
    ['table.create(-1)', "bad argument #1 to 'create' (out of range)"],
    ['table.create(1, 2^31)', "bad argument #2 to 'create' (out of range)"],
    ['table.create()', "bad argument #1 to 'create' (number expected, got no value)"],
    ['string.packsize(("c900000000000000"):rep(11))', 'format result too large'],
    ['string.format("%.3p", {})', "invalid conversion specification: '%.3p'"],
  ])('%s: %s', (call, expected) => expect(errorOf(`return ${call}`)).toContain(expected));

  it('gives the seed that makes the same numbers again', () =>
    expect(
      outputOf(`
        local a, b = math.randomseed()
        local first = math.random(1000)
        math.randomseed(a, b)
        local again = math.random(1000)
        math.randomseed(a, 1)
        return {first == again, first == math.random(1000)}`),
    ).toEqual([true, false]));

  it.each(['table.create', 'math.frexp', 'math.ldexp'])(
    'is not there in runs that began before: %s',
    (name) => expect(outputOf(`return ${name} == nil`, older)).toBe(true),
  );

  it.each(['string.format("%p", {})', 'string.packsize("c3000000000")'])(
    'is an error in runs that began before: %s',
    (call) => expect(outputOf(`return (pcall(function() return ${call} end))`, older)).toBe(false),
  );

  it.each([
    ['select("#", math.randomseed(5))', 0],
    ['#string.pack("s", "abc")', 7],
    ['pcall(string.unpack, "i1", "abc", -4)', false],
    ['select(2, pcall(math.random, 2, 1))', "bad argument #2 to 'math.random' (interval is empty)"],
    [
      '(function() local co co = coroutine.wrap(function() return select(2, pcall(co)) end) return co() end)()',
      'cannot resume dead coroutine',
    ],
  ])('is otherwise in runs that began before: %s is %j', (expression, expected) =>
    expect(outputOf(`return (${expression})`, older)).toBe(expected),
  );
});
