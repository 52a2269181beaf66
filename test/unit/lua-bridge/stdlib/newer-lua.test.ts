import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { outputOf, runFake } from '../../../support/fake-host.js';

const resultOf = (expression: string): unknown => outputOf(`return ${expression}`);
/** The message of the error that a body raises, without its position. */
const errorOf = (body: string): unknown => outputOf(`local ok, e = pcall(function() ${body} end) return e`);

describe('numbers', () => {
  it.each([
    ['"-3" // "2"', -2],
    ['tostring("-3" // "2")', '-2'],
    ['tostring("-0" % 1)', '0'],
    ['tostring(9007199254740991 // -11)', '-818836295885545'],
    ['tostring(-9007199254740991 // 2)', '-4503599627370496'],
    ['tostring(-9007199254740991 / 12)', '-750599937895082.62'],
    ['tostring(9007199254740991 / 5)', '1801439850948198.2'],
    ['tostring(2^53 / 4294967295)', '2097152.0004882812'],
  ])('%s is %s', (expression, expected) => expect(resultOf(expression)).toBe(expected));
});

describe("Lua's libraries", () => {
  it.each([
    [
      'function string.trim(s) return (s:gsub("^%s+", "")) end return (" a"):trim() .. string.trim(" b")',
      'ab',
    ],
    ['math.round = function(x) return math.floor(x + 0.5) end return math.round(2.5)', 3],
    ['table.size = 1 table.size = 2 return table.size', 2],
    ['os.now, utf8.x, coroutine.y = 1, 2, 3 return os.now + utf8.x + coroutine.y', 6],
  ])('can be added to: %s', (source, expected) => expect(outputOf(source)).toBe(expected));

  it('are as they were for the next run', () => {
    outputOf('string.trim, math.round, table.size, os.now = 1, 2, 3, 4 return 1');
    expect(
      outputOf('return {tostring(("").trim), tostring(math.round), tostring(table.size), tostring(os.now)}'),
    ).toEqual(['nil', 'nil', 'nil', 'nil']);
  });

  it.each([
    'string.rep = nil',
    'function string.format() end',
    'rawset(table, "insert", print)',
    'math.floor = 1',
    'os.time = nil',
    'setmetatable(string, {})',
    'getmetatable("").__index = {}',
  ])('keep what they have: %s', (change) => {
    expect(errorOf(change)).not.toBe(null);
    expect(
      outputOf(`pcall(function() ${change} end) return ("a"):rep(2) .. string.format("%d", math.floor(1.5))`),
    ).toBe('aa1');
  });
});

describe('pairs', () => {
  it('gives the elements of a list in order', () =>
    expect(
      outputOf('local out = {} for i, x in pairs({"a", "b", "c"}) do out[#out + 1] = i .. x end return out'),
    ).toEqual(['1a', '2b', '3c']));
});

describe('errors', () => {
  it.each([
    ['return 1 // 0', 'main.tac:1: attempt to divide by zero'],
    ['return 1 % 0', "main.tac:1: attempt to perform 'n%0'"],
    ['for i = 1, 2, 0 do end', "main.tac:1: 'for' step is zero"],
    ['for i = 1, 2, 0.0 do end', "main.tac:1: 'for' step is zero"],
    ['for i = {}, 1 do end', "main.tac:1: bad 'for' initial value (number expected, got table)"],
    ['for i = 1, "x" do end', "main.tac:1: bad 'for' limit (number expected, got string)"],
    ['for i = 1, 2, {} do end', "main.tac:1: bad 'for' step (number expected, got table)"],
    ['for k in 5 do end', "main.tac:1: attempt to call a number value (for iterator 'for iterator')"],
    ['local t = {} t[1].x = 2', "main.tac:1: attempt to index a nil value (field 'integer index')"],
    ['return "a" | 1', "main.tac:1: attempt to perform bitwise operation on a string value (constant 'a')"],
    ['error()', '<no error object>'],
    ['setmetatable({})', "bad argument #2 to 'setmetatable' (nil or table expected, got no value)"],
    ['return rawlen(5)', "bad argument #1 to 'rawlen' (table or string expected, got number)"],
    ['return table.unpack()', "bad argument #1 to 'unpack' (table expected, got no value)"],
    ['table.remove({}, 5)', "bad argument #2 to 'remove' (position out of bounds)"],
    [
      'return ("x"):gsub("x", true)',
      "bad argument #2 to 'gsub' (string/function/table expected, got boolean)",
    ],
    ['return ("x"):find("%b")', "malformed pattern (missing arguments to '%b')"],
    ['return string.pack("z", "\\0")', 'string contains zeros'],
    ['return string.unpack("z", "abc")', "unfinished string for format 'z'"],
    [
      'return setmetatable({}, {__lt = function() return true end}) <= {}',
      'main.tac:1: attempt to compare two table values',
    ],
  ])('%s: %s', (body, expected) => expect(errorOf(body)).toContain(expected));

  it('name the functions of coroutine and os', () => {
    expect(outputOf('return select(2, pcall(coroutine.status, 1))')).toBe(
      "bad argument #1 to 'coroutine.status' (thread expected, got number)",
    );
    expect(outputOf('return select(2, pcall(os.difftime))')).toContain("'os.difftime'");
  });

  it('say what to write for <close>, with its line', () =>
    expect(runFake('\nlocal f <close> = nil').ended).toMatchObject({
      kind: 'failed',
      error: {
        message:
          'main.tac:2: there is no attribute <close> here; leave it out, and close the value yourself at the end of the block',
      },
    }));

  it('refuse a numeral that runs into a word', () =>
    expect(runFake('local a = 1return a').ended).toMatchObject({
      error: { message: "main.tac:1: malformed number near '1r'" },
    }));
});

describe('<const>', () => {
  it.each<[string, JsonValue]>([
    ['local x <const> = 1 return x', 1],
    ['local x<const>, y < const > = 1, 2 return {x, y}', [1, 2]],
    ['local <const> x, y = 1, 2 return {x, y}', [1, 2]],
    ['local x <const>, y = 1, 2 y = 3 return {x, y}', [1, 3]],
    ['local x <const> = {} x.n = 1 return x.n', 1],
    ['local x <const> = 1 do local x = 2 x = 3 end return x', 1],
    ['local x <const> = 1 local x = 2 x = 3 return x', 3],
    ['do local x <const> = 1 end local y = 2 y = 3 return y', 3],
    ['local x <const> = 1 return (function() local y = x y = y + 1 return y end)()', 2],
    [
      'local a, const, b = 3, 2, 1 return {a <const, const> b, "local x <const> = 1" --[[ local <const> ]]}',
      [false, true, 'local x <const> = 1'],
    ],
    ['local x <const> return x == nil', true],
  ])('%s', (body, expected) => expect(outputOf(body)).toEqual(expected));

  it.each([
    ['local x <const> = 1\nx = 2', 'x'],
    ['local <const> x, y = 1\ny = 2', 'y'],
    ['local y, x <const> = 1\ny, x = 2, 3', 'x'],
    ['local y, x <const> = 1\nx, y = 2, 3', 'x'],
    ['local x <const> = 1\nfunction x() end', 'x'],
    ['local x <const> = 1\nlocal function f() x = 2 end', 'x'],
    ['local x <const> = 1 local function f() return function()\nx = 2 end end', 'x'],
    ['local x <const> = 1 local function f() local y = x return function() y = x\nx = 2 end end', 'x'],
  ])('is never assigned to: %j', (body, name) =>
    expect(runFake(`${body}\nreturn 1`).ended).toMatchObject({
      kind: 'failed',
      error: { code: 'source_invalid', message: `main.tac:2: attempt to assign to const variable '${name}'` },
    }),
  );

  it('is so in a file that is required', () => {
    const files = {
      'prices.tac': 'local tax <const> = 7\nreturn {tax = tax}',
      'broken.tac': '\nlocal tax <const> = 7 tax = 8',
    };
    expect(outputOf('return require("prices").tax', { files })).toBe(7);
    expect(() => outputOf('return require("broken")', { files })).toThrow(
      "broken.tac:2: attempt to assign to const variable 'tax'",
    );
  });

  it('is the only attribute', () =>
    expect(runFake('local x <static> = 1').ended).toMatchObject({
      error: { message: "main.tac:1: unknown attribute 'static'" },
    }));
});

describe('coroutines', () => {
  it('give the error that ended them when they are closed, once', () =>
    expect(
      outputOf(
        'local co = coroutine.create(function() error({n = 1}) end) local _, e = coroutine.resume(co) local ok, same = coroutine.close(co) return {ok, same == e, coroutine.close(co), coroutine.status(co)}',
      ),
    ).toEqual([false, true, true, 'dead']));

  it('stay dead after an error', () =>
    expect(
      outputOf(
        'local co = coroutine.create(error) coroutine.resume(co, "x") local _, e = coroutine.resume(co) return e',
      ),
    ).toBe('cannot resume dead coroutine'));

  it('can be asked whether they could yield', () =>
    expect(
      outputOf(
        'return {coroutine.isyieldable(), coroutine.isyieldable(coroutine.create(print)), pcall(coroutine.isyieldable, 1)}',
      ),
    ).toEqual([
      false,
      true,
      false,
      "bad argument #1 to 'coroutine.isyieldable' (thread expected, got number)",
    ]));
});

describe('text', () => {
  const collected = (call: string): unknown =>
    outputOf(`local out = {} for w in ${call} do out[#out + 1] = w end return out`);

  it('is searched by gmatch from where it is told', () => {
    expect(collected('("abc"):gmatch(".", 2)')).toEqual(['b', 'c']);
    expect(collected('("abc"):gmatch(".", -1)')).toEqual(['c']);
    expect(collected('("abc"):gmatch(".*", 9)')).toEqual([]);
  });

  it.each([
    ['("abc"):find("()b%1") == nil', true],
    ['utf8.len("\\xed\\xa0\\x80") == nil', true],
    ['utf8.len("\\xed\\xa0\\x80", 1, -1, true)', 1],
    ['#utf8.char(0x7fffffff)', 6],
    ['#"\\u{7fffffff}"', 6],
    ['select(2, utf8.offset("aé", 2))', 3],
    [
      'select(2, pcall(utf8.len, "abc", 9))',
      "bad argument #2 to 'utf8.len' (initial position out of bounds)",
    ],
  ])('%s is %s', (expression, expected) => expect(resultOf(expression)).toBe(expected));

  it('is refused by utf8.codes where it starts within a character', () =>
    expect(errorOf('for _ in utf8.codes("\\x80abc") do end')).toContain('invalid UTF-8 code'));
});

it('weak tables keep what they hold', () =>
  expect(outputOf('local t = setmetatable({}, {__mode = "kv"}) t[1] = {} collectgarbage() return #t')).toBe(
    1,
  ));
