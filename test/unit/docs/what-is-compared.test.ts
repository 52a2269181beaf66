import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { definitions } from '../../../src/contract/effects/all.generated.js';
import { fieldsOf } from '../../../src/contract/effects/define-effect.js';

const page = readFileSync(new URL('../../../docs/what-is-compared.md', import.meta.url), 'utf8');

/** The cells of the rows of the first table that has these headings. */
function rows(): string[][] {
  const lines = page.split('\n');
  const from = lines.findIndex((line) => line.startsWith('| kind of effect'));
  const to = lines.findIndex((line, i) => i > from && line === '');
  return lines.slice(from + 2, to).map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

it.each(definitions.map(({ kind, identity }) => ({ kind, identity })))(
  'the page names what is compared and listed of $kind',
  ({ kind, identity }) => {
    const row = rows().find(([name]) => name === kind);
    const { data, settings } = fieldsOf(identity);
    const cell = (names: readonly string[]): string => names.map((each) => `\`${each}\``).join(', ');
    expect(row?.slice(0, 3)).toEqual([kind, cell(data), cell(settings)]);
    expect(row?.[3]).not.toBe('');
  },
);
