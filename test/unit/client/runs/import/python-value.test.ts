import { describe, expect, it } from 'vitest';
import { readPythonValue } from '../../../../../src/client/runs/import/python-value.js';

describe('what Python prints', () => {
  it.each([
    ['None', null],
    [' True ', true],
    ['-1.5e-07', -1.5e-7],
    ['9007199254740991', 9_007_199_254_740_991],
    [`'it\\'s "so"'`, `it's "so"`],
    [`"it's\\n\\x41\\u20ac\\U0001f600\\\\"`, "it's\nA€😀\\"],
    ["[1, 'a', [], {}, ()]", [1, 'a', [], {}, []]],
    ['(1,)', [1]],
    ["{'a': {'b': [True, None]}, '__proto__': 1}", { a: { b: [true, null] }, ['__proto__']: 1 }],
    [
      "PredictionResult(output={'label': 'x'}, cost=Cost(n=None), name='y')",
      { output: { label: 'x' }, cost: { n: null }, name: 'y' },
    ],
    ['Empty()', {}],
  ])('%s is read', (text, value) => {
    expect(readPythonValue(text)).toEqual(value);
  });

  it.each([
    ['nan', /unexpected at character 3/],
    ['<object at 0x7f>', /unexpected at character 0: <object at/],
    ['{1: 2}', /unexpected at character 1/],
    ['{1, 2}', /unexpected/],
    ["'open", /unexpected/],
    ["'\\q'", /unexpected/],
    ['[1 2]', /unexpected at character 3/],
    ['[1', /unexpected/],
    ['1 2', /unexpected at character 2/],
    ['99999999999999999999', /would lose digits/],
    ['Made(1)', /unexpected/],
    ['', /unexpected/],
  ])('%s is refused', (text, message) => {
    expect(() => readPythonValue(text)).toThrow(message);
  });
});
