import { expect, it } from 'vitest';
import { pythonText } from '../../../../src/testing/specifications/python-literal.js';

it.each([
  [null, 'None'],
  [true, 'True'],
  [2.5, '2.5'],
  ['as it is', 'as it is'],
  [[1, 'a', false, null], "[1, 'a', False, None]"],
  [{ a: { b: ["it's", 'say "it\'s"'] } }, `{'a': {'b': ["it's", 'say "it\\'s"']}}`],
  [['one\ntwo\\'], "['one\\ntwo\\\\']"],
  [{}, '{}'],
])('%j is %s', (value, text) => {
  expect(pythonText(value)).toBe(text);
});
