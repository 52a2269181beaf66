import { describe, expect, it } from 'vitest';
import { readLiteral, readQuoted } from '../../../../src/testing/specifications/python-literal.js';

describe('literals of steps', () => {
  it.each([
    ['{"reason": "done"}', { reason: 'done' }],
    ["{'message': 'Deploy?', 'n': 2}", { message: 'Deploy?', n: 2 }],
    [`{'it': "it's"}`, { it: "it's" }],
    ['[1, 2.5, -3, True, False, None, true, null]', [1, 2.5, -3, true, false, null, true, null]],
    ['(1, 2,)', [1, 2]],
    ['{}', {}],
    ['[]', []],
    ['{"a": {"b": ["c"]}}', { a: { b: ['c'] } }],
    ['"a\\n\\"b\\" \\u00e9"', 'a\n"b" é'],
    ['"\\x41\\U0001F600 \\xg \\U00110000"', 'A😀 \\xg \\U00110000'],
    ['1e3', 1000],
  ])('%s is read', (text, value) => {
    expect(readLiteral(text)).toEqual(value);
  });

  it.each(['positive', '{a: 1}', '[1, 2', '"open', '1 2', '', '{"a" 1}', '__import__("os")'])(
    '%s is none',
    (text) => {
      expect(readLiteral(text)).toBeUndefined();
    },
  );

  it.each([
    ['"Hello, I\'m World"', "Hello, I'm World"],
    [`'He said: "hi"'`, 'He said: "hi"'],
    ['"Line 1\\nLine 2"', 'Line 1\nLine 2'],
    ['"say "hi" twice"', 'say "hi" twice'],
    ['plain', null],
    ['"', null],
    ['', null],
  ])('%s in quotes is %j', (text, value) => {
    expect(readQuoted(text)).toBe(value);
  });
});
