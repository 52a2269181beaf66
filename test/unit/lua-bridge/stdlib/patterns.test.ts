import { describe, expect, it } from 'vitest';
import { outputOf } from '../../../support/fake-host.js';

describe('patterns', () => {
  it.each([
    ['("hello world"):find("o w")', [5, 7]],
    ['("a.b"):find(".", 1, true)', [2, 2]],
    ['("abc"):find("x*")', [1, 0]],
    ['("a"):find("a*%f[a]")', [1, 0]],
    ['("abc"):find("", 10)', []],
    ['("abc"):find("b", -2)', [2, 2]],
    ['("key = value"):match("(%w+)%s*=%s*(%w+)")', ['key', 'value']],
    ['("x"):match("()")', [1]],
    ['("[[x]]"):match("%[%[(.-)%]%]")', ['x']],
    ['("THE (quick) fox"):find("%((%a+)%)")', [5, 11, 'quick']],
    ['("f(a(b)c)d"):match("%b()")', ['(a(b)c)']],
    ['("THE END"):gsub("%f[%a]%a", string.lower)', ['tHE eND', 2]],
    ['("abab"):match("^(ab)%1$")', ['ab']],
    ['("hello"):gsub("l", "L", 1)', ['heLlo', 1]],
    ['("hello"):gsub("", "-")', ['-h-e-l-l-o-', 6]],
    ['("$name is $age"):gsub("%$(%w+)", {name = "Bo", age = 7})', ['Bo is 7', 2]],
    ['("abc"):gsub("%w", "%0%0")', ['aabbcc', 3]],
    ['("2026-01-02"):match("(%d+)-(%d+)-(%d+)")', ['2026', '01', '02']],
    ['("  trim  "):match("^%s*(.-)%s*$")', ['trim']],
    ['("a,b,,c"):gsub(",", ";")', ['a;b;;c', 3]],
    ['("x"):rep(3):find("^x-$")', [1, 3]],
    ['("]"):match("[]]")', [']']],
    ['("a-b"):match("[a%-]+")', ['a-']],
    ['("é"):find("é")', [1, 2]],
  ])('%s gives %j', (call, expected) => {
    expect(outputOf(`return table.pack(${call})`)).toMatchObject(
      expected.length === 0 ? { n: 1 } : Object.fromEntries(expected.map((value, i) => [i + 1, value])),
    );
  });

  it('are walked by gmatch', () => {
    expect(
      outputOf('local t = {} for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do t[k] = v end return t'),
    ).toEqual({ a: '1', b: '2' });
    expect(outputOf('local t = {} for w in ("one two"):gmatch("%a+") do t[#t + 1] = w end return t')).toEqual(
      ['one', 'two'],
    );
  });

  it.each([
    ['("a"):find("[a")', "malformed pattern (missing ']')"],
    ['("a"):find("%")', "malformed pattern (ends with '%')"],
    ['("a"):find("(a")', 'unfinished capture'],
    ['("a"):match("a)")', 'invalid pattern capture'],
    ['("a"):find("%b")', 'missing arguments to'],
    ['("a"):gsub("a", "%2")', 'invalid capture index'],
    ['("a"):gsub("a", true)', 'string/function/table expected'],
    ['("a"):gsub("a", function() return {} end)', 'invalid replacement value'],
  ])('%s is an error', (call, message) => {
    expect(() => outputOf(`return ${call}`)).toThrow(message);
  });
});
