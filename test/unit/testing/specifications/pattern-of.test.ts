import { describe, expect, it } from 'vitest';
import { matchStep } from '../../../../src/testing/specifications/match-step.js';
import { patternOf } from '../../../../src/testing/specifications/step-definition.js';

describe('regular expressions as Python writes them', () => {
  it.each([
    ['^\\w+ ✓$', 'Grüße ✓'],
    ['^[\\w ]+$', 'Grüße Olé'],
    ['^. ok$', '😀 ok'],
    ['\\bÜber\\b', 'so Über so'],
    ['\\Ahello\\Z', 'hello'],
    ['(?P<a>l)(?P=a)', 'hello'],
    ['(?#a comment)hello', 'hello'],
    ['(?i)HELLO', 'hello'],
    ['(?s)one.two', 'one\ntwo'],
    ['(?m)^two$', 'one\ntwo'],
    ['^a{,2}$', 'aa'],
    ['^\\d{2,3}$', '123'],
    ['^{"a": 1}$', '{"a": 1}'],
    ['^[]x]+$', ']x'],
    ['^[^]x]$', 'y'],
    ['^[[]$', '['],
    ['^[a\\-z]+$', 'a-z'],
    ['say \\"hi\\" \\- it\\\'s', 'say "hi" - it\'s'],
    ['^\\$2\\.50\\/h$', '$2.50/h'],
    ['\\(of (.+)\\)', '(of Ann)'],
    ['^[\\d.]+$', '2.5'],
    ['^a\\_b[\\_]$', 'a_b_'],
  ])('%s fits %j', (pattern, text) => {
    expect(patternOf(pattern).test(text)).toBe(true);
  });

  it.each([
    ['\\Aello', 'hello'],
    ['(?m)\\Atwo', 'one\ntwo'],
    ['\\bber\\b', 'Über'],
    ['^\\W+$', 'ü'],
    ['^a{,2}$', 'aaa'],
    ['^[^\\w]$', 'ü'],
  ])("%s doesn't fit %j", (pattern, text) => {
    expect(patternOf(pattern).test(text)).toBe(false);
  });

  it('may repeat a flag that they have anyway, also as those of steps', () => {
    expect(patternOf('(?i)a', 'i').test('A')).toBe(true);
    const step = { pattern: '(?i)a SHELF of (\\w+)' };
    expect(matchStep('a shelf of books', [step])).toEqual({ kind: 'own', step: 0, captures: ['books'] });
  });

  it.each(['(', '[', 'a++', '(?x) a'])('%s is refused', (pattern) => {
    expect(() => patternOf(pattern)).toThrow(`${pattern} is no regular expression`);
  });
});
