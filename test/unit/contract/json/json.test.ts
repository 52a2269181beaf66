import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  getOwn,
  isObject,
  jsonSize,
  setOwn,
  utf8Length,
  type JsonObject,
  type JsonValue,
} from '../../../../src/contract/json/json.js';

const inherited = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'then'];

describe('names from outside', () => {
  it.each(inherited)('%s is not there until it is set', (name) => {
    const record: Record<string, number> = {};
    expect(getOwn(record, name)).toBeUndefined();
    setOwn(record, name, 7);
    expect(getOwn(record, name)).toBe(7);
    expect(Object.keys(record)).toEqual([name]);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    setOwn(record, name, 8);
    expect(getOwn(record, name)).toBe(8);
  });
});

describe('isObject', () => {
  it.each<[JsonValue | undefined, boolean]>([
    [{}, true],
    [[], false],
    [null, false],
    [undefined, false],
    ['{}', false],
    [0, false],
  ])('of %j is %s', (value, expected) => {
    expect(isObject(value)).toBe(expected);
  });
});

describe('canonicalJson', () => {
  it.each<[JsonValue, string]>([
    [null, 'null'],
    [-0, '0'],
    ['ü"\n', '"ü\\"\\n"'],
    [[], '[]'],
    [{}, '{}'],
    [{ b: 1, a: [{ d: null, c: true }] }, '{"a":[{"c":true,"d":null}],"b":1}'],
    [{ 10: 'ten', 9: 'nine', A: 1, a: 2 }, '{"10":"ten","9":"nine","A":1,"a":2}'],
  ])('of %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('says the same of equal values only', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value as JsonValue))).toBe(text);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe('sizes', () => {
  it.each(['', 'a', 'é', '€', '😀', 'a😀é€', '\ud800', '\udc00\ud800', '\ud800a', '\ud83d\ud83d\ude00'])(
    'utf8Length of %j is what an encoder writes',
    (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    },
  );

  it('utf8Length holds for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  it('jsonSize counts the JSON text', () => {
    expect(jsonSize({ a: ['é'] })).toBe(12);
  });
});

/** The same value with the members of its objects in the opposite order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value).reverse()) setOwn(result, key, reversed(member));
  return result;
}
