import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('justifies each recorded case with another result, and no other', () => {
  const excluded = JSON.parse(read('test/conformance/exclusions.json')) as { case: string }[];
  const [, section = ''] = read('docs/compatibility.md').split('## Recorded cases with other results\n');
  const justified = Array.from(section.matchAll(/^- `([\w-]+)`: .{60,}/gm), ([, name]) => name);
  expect(justified).toEqual([...new Set(excluded.map((each) => each.case))]);
});
