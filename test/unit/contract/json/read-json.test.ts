import { describe, expect, it } from 'vitest';
import { exactText, readIdentities, readJson } from '../../../../src/contract/json/json.js';

describe('JSON from outside', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740992', '9007199254740992'],
    ['1152921504606847000', '1152921504606847000'],
    ['9007199254740991', 9_007_199_254_740_991],
    ['{"a":[{"id":12345678901234567890123,"n":7}]}', { a: [{ id: '12345678901234567890123', n: 7 }] }],
    [`1${'0'.repeat(400)}`, `1${'0'.repeat(400)}`],
    ['{"card":"9007199254740993"}', { card: '9007199254740993' }],
    ['{"__proto__":9007199254740993}', JSON.parse('{"__proto__":"9007199254740993"}')],
    ['9007199254740993.0', 9_007_199_254_740_992],
    ['1e20', 1e20],
    ['0.12345678901234567890', 0.12345678901234568],
    ['\uFEFF{"a":1}', { a: 1 }],
    ['\uFEFF9007199254740993', '9007199254740993'],
  ])('%s', (text, value) => expect(readJson(text)).toEqual(value));

  it.each(['', '{', '{"a":9007199254740993', '01', '\uFEFF\uFEFF1'])('%j is none', (text) =>
    expect(() => readJson(text)).toThrow(SyntaxError),
  );

  it.each(['1e400', '[-1.5E+999]'])('%s is too large', (text) =>
    expect(() => readJson(text)).toThrow('is too large'),
  );

  it('names by the digits that were sent', () => {
    const texts = ['9007199254740993', '7', '7.0', '-0', '1.10', '1.1', '1e3', '9007199254740991.4'];
    expect(texts.map((text) => `${readIdentities(text) as string | number}`)).toEqual([
      '9007199254740993',
      '7',
      '7',
      '0',
      '1.10',
      '1.1',
      '1e3',
      '9007199254740991.4',
    ]);
  });

  it('is left as it is where any reader holds it', () => {
    const same = '{ "card": "9007199254740993", "n": 1.50 }';
    expect(exactText(same)).toBe(same);
    expect(exactText('{ "id": 9007199254740993, "n": 1 }')).toBe('{"id":"9007199254740993","n":1}');
  });
});
