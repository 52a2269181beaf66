import { describe, expect, it } from 'vitest';
import { outputOf } from '../../../support/fake-host.js';

describe('strings as keys and in comparison', () => {
  it.each([
    ['("\\xaa") == ("\\n\\n")', false],
    ['("\\xc3\\xa9") == ("\\x0c\\x3a\\x09")', false],
    ['("abc"):rep(20) == ("abc"):rep(20)', true],
    ['"a" < "b"', true],
    ['"a" < "aa"', true],
    ['"Z" < "a"', true],
    ['"\\x7f" < "\\x80"', true],
    ['"\\x0a" < "\\xa0"', true],
    ['"a\\0b" < "a\\0c"', true],
    ['"" < "\\0"', true],
    ['"10" < "9"', true],
  ])('%s is %s', (expression, expected) => expect(outputOf(`return ${expression}`)).toBe(expected));

  it('never alias', () => {
    expect(outputOf('local t = {} t["\\n\\n"] = 1 return t["\\xaa"] == nil')).toBe(true);
    const long = '("\\xaa"):rep(60)';
    expect(
      outputOf(`local t = {} t[${long}] = 1 return t[("\\n\\n"):rep(60)] == nil and t[${long}] == 1`),
    ).toBe(true);
  });

  it('sort by their bytes', () => {
    expect(outputOf('local t = {"b", "é", "a", "Z", "aa"} table.sort(t) return t')).toEqual([
      'Z',
      'a',
      'aa',
      'b',
      'é',
    ]);
  });
});

describe('strings by characters', () => {
  it.each([
    ['("é漢😀"):len()', 3],
    ['#"é漢😀"', 9],
    ['("é漢😀"):sub(2, 2)', '漢'],
    ['("é漢😀"):sub(-1)', '😀'],
    ['("é漢😀"):sub(-2, -2)', '漢'],
    ['("é漢😀"):sub(2)', '漢😀'],
    ['("é漢😀"):sub(1, -2)', 'é漢'],
    ['("é漢😀"):sub(0, 1)', 'é'],
    ['("é漢😀"):sub(5)', ''],
    ['("é漢😀"):sub(3, 2)', ''],
    ['("é漢😀"):sub(-9, 9)', 'é漢😀'],
    ['("a"):sub(1, -3)', ''],
    ['("abc"):sub(-2)', 'bc'],
    ['("abc"):sub(2, 3)', 'bc'],
    ['(""):sub(1)', ''],
    ['("é漢😀"):reverse()', '😀漢é'],
    ['("abc"):reverse()', 'cba'],
    ['("\\xff\\xfe"):len()', 2],
    ['("é"):byte()', 195],
    ['utf8.len("é漢😀")', 3],
    ['utf8.char(233, 128512)', 'é😀'],
    ['("äÖ"):upper()', 'äÖ'],
    ['("abc"):upper()', 'ABC'],
    ['("x"):rep(3, ",")', 'x,x,x'],
    ['("x"):rep(0)', ''],
    ['("x"):rep(-1)', ''],
  ])('%s is %s', (expression, expected) => expect(outputOf(`return ${expression}`)).toBe(expected));

  it('are cut by numbers that hold an integer, and by no others', () => {
    expect(outputOf('return ("abc"):sub(2.0)')).toBe('bc');
    expect(() => outputOf('return ("abc"):sub(1.5)')).toThrow('number has no integer representation');
    expect(() => outputOf('return ("abc"):sub()')).toThrow('number expected, got no value');
  });

  it.each([
    ['string.char(256)', 'value out of range'],
    ['string.char(-1)', 'value out of range'],
    ['utf8.char(-1)', 'value out of range'],
    ['utf8.codepoint("\\xff")', 'invalid UTF-8 code'],
    ['utf8.offset("é", 1, 2)', 'initial position is a continuation byte'],
  ])('%s is an error', (expression, message) => {
    expect(() => outputOf(`return ${expression}`)).toThrow(message);
  });
});
