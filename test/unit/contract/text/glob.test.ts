import { describe, expect, it } from 'vitest';
import { closestPattern, matchesGlob } from '../../../../src/contract/text/glob.js';

describe('a pattern', () => {
  it.each<[string, string, boolean]>([
    ['*', '', true],
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a*', 'abc', true],
    ['*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a*b*c', 'axxbyyc', true],
    ['a*b*c', 'axxcyyb', false],
    ['mcp.files.*', 'mcp.files.read', true],
    ['mcp.files.*', 'mcpxfiles.read', false],
    ['**', 'x', true],
    ['', 'x', false],
    ['a.c', 'abc', false],
    ['a*b*a', 'aba', true],
    ['a*b*ba', 'aba', false],
    ['(a+)+$', 'aaaa', false],
  ])('%s and %s', (pattern, text, does) => expect(matchesGlob(pattern, text)).toBe(does));

  it('takes no time, whatever it is', () =>
    expect(matchesGlob('*a'.repeat(200), 'a'.repeat(2_000) + 'b')).toBe(false));
});

describe('of several patterns', () => {
  it.each<[string[], string[], string | undefined]>([
    [['*', 'crm.*', 'crm.find'], ['mcp.crm.find', 'crm.find'], 'crm.find'],
    [['crm.find*********', 'crm.find'], ['crm.find'], 'crm.find'],
    [['*', 'crm.*'], ['crm.find'], 'crm.*'],
    [['crm.*', 'mcp.*'], ['mcp.crm.find', 'crm.find'], 'crm.*'],
    [['till.*'], ['crm.find'], undefined],
    [[], ['crm.find'], undefined],
  ])('%j, that for %j is %s', (patterns, names, closest) =>
    expect(closestPattern(patterns, names)).toBe(closest),
  );
});
