import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';

const failureOf = (source: string): string => {
  const { ended } = runFake(source);
  return ended?.kind === 'failed' ? ended.error.message : 'no failure';
};

describe('split by a number', () => {
  it.each([
    ['split("one two three", 8)', ['one two ', 'three']],
    ['split("one two three", 7)', ['one two', ' three']],
    ['split("abcdefgh", 3)', ['abc', 'def', 'gh']],
    ['split("a bcdefgh", 3)', ['a ', 'bcd', 'efg', 'h']],
    ['split("Größe zählt", 6)', ['Größe ', 'zählt']],
    ['split("日本語日本", 2)', ['日本', '語日', '本']],
    ['split("a\\nb\\tc", 2)', ['a\n', 'b\t', 'c']],
    ['split("short", 1000)', ['short']],
    ['split("short", 5)', ['short']],
    ['split("", 5)', []],
    ['split(12345, 2.0)', ['12', '34', '5']],
    ['#split("\\xff\\xff\\xff", 2)', 2],
  ])('%s', (expression, expected) => expect(outputOf(`return ${expression}`)).toEqual(expected));

  it('gives pieces that make the text again, none of them too long', () =>
    expect(
      outputOf(`
        local text = string.rep("Zwölf große Boxkämpfer  jagen\\nEva\\t", 50) .. string.rep("ü", 300) .. " Ende"
        local results = {}
        for most = 1, 60 do
          local longest = 0
          for _, piece in ipairs(split(text, most)) do longest = math.max(longest, string.len(piece)) end
          results[most] = longest <= most and join(split(text, most)) == text
        end
        for _, each in ipairs(results) do if not each then return "no" end end
        return #results
      `),
    ).toBe(60));
});

describe('split by a separator', () => {
  it.each([
    ['split("a,b,,c", ",")', ['a', 'b', '', 'c']],
    ['split("a.b", ".")', ['a', 'b']],
    ['split("a%d%d", "%d")', ['a', '', '']],
    ['split("a, b", ", ")', ['a', 'b']],
    ['split("aaa", "aa")', ['', 'a']],
    ['split("plain", ",")', ['plain']],
    ['split("", ",")', ['']],
    ['split(1.5, ".")', ['1', '5']],
    ['join(split("x||y", "|"), "|")', 'x||y'],
  ])('%s', (expression, expected) => expect(outputOf(`return ${expression}`)).toEqual(expected));
});

describe('join', () => {
  it.each([
    ['join({"a", "b", "c"}, ", ")', 'a, b, c'],
    ['join({"a", 1, 2.5, 3.0})', 'a12.53.0'],
    ['join({}, ", ")', ''],
    ['join({"only"}, ", ")', 'only'],
    ['join({1, 2}, 0)', '102'],
    ['join({"ü", "ß", name = "left out"})', 'üß'],
    ['join(setmetatable({"a"}, {__index = error, __len = error}))', 'a'],
  ])('%s', (expression, expected) => expect(outputOf(`return ${expression}`)).toEqual(expected));
});

describe('wrong arguments are refused with the line', () => {
  it.each([
    ['split()', "bad argument #1 to 'split' (string expected, got no value)"],
    ['split({}, 1)', "bad argument #1 to 'split' (string expected, got table)"],
    ['split("a")', "bad argument #2 to 'split' (a number of characters or a separator expected)"],
    ['split("a", {})', "bad argument #2 to 'split' (a number of characters or a separator expected)"],
    ['split("a", 0)', "bad argument #2 to 'split' (at least 1 character expected)"],
    ['split("a", 1.5)', "bad argument #2 to 'split' (number has no integer representation)"],
    [
      'split("a", "")',
      "bad argument #2 to 'split' (a separator can't be empty; split(text, 1) gives characters)",
    ],
    ['join()', "bad argument #1 to 'join' (table expected, got no value)"],
    ['join("a", "b")', "bad argument #1 to 'join' (table expected, got string)"],
    ['join({"a"}, {})', "bad argument #2 to 'join' (string expected, got table)"],
    ['join({"a", {}})', "bad argument #1 to 'join' (item 2 is a table, not text)"],
    ['join({"a", true})', "bad argument #1 to 'join' (item 2 is a boolean, not text)"],
    ['join({"a", nil, "c"})', "bad argument #1 to 'join' (item 2 is nil)"],
  ])('%s', (call, message) => expect(failureOf(`\nreturn ${call}`)).toBe(`main.tac:2: ${message}`));
});
