import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes, type ErrorCode } from '../../../src/contract/errors.js';

const folder = new URL('../../../docs/errors/', import.meta.url);
const codes = Object.keys(errorCodes) as ErrorCode[];

it('every error code has a page, and every page a code', () => {
  const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ''));
  expect(pages.sort()).toEqual([...codes].sort());
});

describe('the page of', () => {
  it.each(codes)('%s', (code) => {
    const text = readFileSync(new URL(`${code}.md`, folder), 'utf8');
    const headings = text.split('\n').filter((line) => line.startsWith('#'));
    expect(headings).toEqual([`# ${code}`, '## Why', '## Common causes', '## What to do']);
    expect(text).toMatch(/^```text\n.+\n```$/m);
    expect(text.includes('`pcall` catches it.')).toBe(errorCodes[code].catchable);
    expect(text.split('\n').length).toBeLessThanOrEqual(40);
  });
});
