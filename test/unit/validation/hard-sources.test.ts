import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateSource } from '../../../src/validation/index.js';

const entry = 'main.tac';

function codesOf(source: string): string[] {
  return validateSource({ entry, files: { [entry]: source } }).diagnostics.map(({ code }) => code);
}

describe('hard sources', () => {
  it('a procedure cut off anywhere is refused, and never breaks the validator', () => {
    const text = readFileSync(new URL('../../../examples/review-triage.tac', import.meta.url), 'utf8');
    for (let end = 40; end < text.length; end += 97) {
      const { diagnostics } = validateSource({ entry, files: { [entry]: text.slice(0, end) } });
      expect(diagnostics.length).toBeGreaterThan(0);
    }
  });

  it('a sum of 60,000 terms', () => {
    expect(codesOf(`function main() return {x = ${'1+'.repeat(60_000)}1} end`)).toEqual(['not_analysed']);
  });

  // Our parser gets through hundreds, Lua's doesn't; thousands are too many for both.
  it.each([250, 5_000])('%i parentheses', (count) => {
    const source = `function main() return {x = ${'('.repeat(count)}1${')'.repeat(count)}} end`;
    expect(codesOf(source)).toEqual(['syntax_error']);
  });

  it('names of JavaScript objects are names like others', () => {
    expect(codesOf('function main() return {x = constructor, y = __proto__, z = toString} end')).toEqual([
      'unknown_name',
      'unknown_name',
      'unknown_name',
    ]);
    expect(codesOf('function main() constructor.x() Human.constructor() string.__proto__() end')).toEqual([
      'unknown_name',
      'unknown_member',
      'unknown_member',
    ]);
    expect(codesOf('a = Agent { system_prompt = "s", constructor = 1 }\nfunction main() a("x") end')).toEqual(
      ['unknown_key'],
    );
  });

  it('byte order mark, line for the shell, and ends of lines as Windows has them', () => {
    expect(codesOf('\ufefffunction main() return {} end')).toEqual([]);
    expect(codesOf('#!/usr/bin/env tactus-temporal\nfunction main() return {} end')).toEqual([]);
    expect(codesOf('function main()\r\n  return {}\r\nend\r\n')).toEqual([]);
  });

  it('a large file in good time', () => {
    const helper = (i: number): string =>
      `local function helper_${i}(t)\n  local s = string.format("%d", ${i})\n  return s:gsub("%d", t)\nend\nhelper_${i}({})\n`;
    const source = Array.from({ length: 190 }, (_, i) => `do\n${helper(i).repeat(10)}end\n`).join('');
    const before = performance.now();
    expect(codesOf(`${source}\nfunction main() return {} end`)).toEqual([]);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});
