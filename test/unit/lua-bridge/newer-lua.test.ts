import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../support/fake-host.js';

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

  it('say what to write for an attribute, with its line', () => {
    const failureOf = (source: string): unknown => runFake(source).ended;
    expect(failureOf('\nlocal x <const> = 1\nreturn x')).toMatchObject({
      kind: 'failed',
      error: {
        message: "main.tac:2: there is no attribute <const> here; leave it out: 'local NAME = VALUE'",
      },
    });
    expect(failureOf('local f <close> = nil')).toMatchObject({
      error: { message: expect.stringContaining('close the value yourself') as string },
    });
  });

  it('refuse a numeral that runs into a word', () =>
    expect(runFake('local a = 1return a').ended).toMatchObject({
      error: { message: "main.tac:1: malformed number near '1r'" },
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
