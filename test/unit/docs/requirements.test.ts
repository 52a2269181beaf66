import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findFaults } from '../../../scripts/requirements/find-faults.mjs';
import { readRequirements, titlesOfProject } from '../../../scripts/requirements/read-requirements.mjs';
import { requirementsPage } from '../../../scripts/requirements/requirements-page.mjs';
import { testTitlesIn } from '../../../scripts/requirements/test-titles.mjs';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const documents = readRequirements(project);
type Row = (typeof documents)[number]['sections'][number]['rows'][number];

describe('docs/requirements.md', () => {
  it('has rows that name tests which exist, or say why not', () => {
    expect(findFaults(documents, titlesOfProject(project))).toEqual([]);
  });

  it('says what test/requirements says: npm run requirements', () => {
    const page = readFileSync(join(project, 'docs', 'requirements.md'), 'utf8');
    expect(page).toBe(requirementsPage(documents));
  });

  it('names nothing of where it was made', () => {
    expect(requirementsPage(documents)).not.toMatch(/\/work\/|\bissue\b/i);
  });
});

describe('a row', () => {
  const row: Row = { id: 'A1', kind: 'MUST', says: 'One thing holds.' };
  const titlesOf = (file: string): string[] | undefined =>
    file === 'test/a.test.ts' ? ['a group › holds'] : undefined;
  const faultsOf = (...rows: Row[]): string[] =>
    findFaults([{ document: 'A', sections: [{ title: 'first', rows }] }], titlesOf);

  it('is right with a test that exists, with a reason, or with what is open', () => {
    const all = [
      { ...row, tests: ['test/a.test.ts › a group › holds'] },
      { ...row, id: 'A2', reason: 'It cannot be.' },
      { ...row, id: 'A3', open: 'All of it.' },
    ];
    expect(faultsOf(...all)).toEqual([]);
  });

  it('is refused without any of them', () => {
    const fault = 'A1: has no test, no reason and nothing that is open: One thing holds.';
    expect(faultsOf(row)).toEqual([fault]);
    expect(faultsOf({ ...row, tests: [], reason: '' })).toEqual([fault]);
  });

  it('is refused where its test has another title or group, or its file is gone', () => {
    const [title, group, file] = [
      'test/a.test.ts › a group › held',
      'test/a.test.ts › holds',
      'test/b.test.ts › a group › holds',
    ];
    expect(faultsOf({ ...row, tests: [title, group, file] })).toEqual([
      `A1: there is no test ${title}`,
      `A1: there is no test ${group}`,
      'A1: there is no file test/b.test.ts',
    ]);
  });

  it('is refused with an id of another one, an unknown kind, or a reason and something open', () => {
    const second = { ...row, kind: 'MAY', reason: 'It cannot be.', open: 'All of it.' } as unknown as Row;
    expect(faultsOf({ ...row, open: 'All of it.' }, second)).toEqual([
      'A1: there are two rows with this id',
      'A1: the kind MAY is unknown',
      'A1: has a reason, and is open as well',
    ]);
  });

  it('stands in the page with its tests, with its reason, and under what is not there yet', () => {
    const page = requirementsPage([
      {
        document: 'A',
        sections: [
          {
            title: 'first',
            rows: [
              { ...row, tests: ['test/a.test.ts › a group › holds %s_%s'] },
              { ...row, id: 'A2', reason: 'It cannot be.' },
              { ...row, id: 'A3', open: 'all of it.' },
            ],
          },
        ],
      },
    ]);
    expect(page).toContain('| A | 3 | 1 | 1 | 1 |');
    expect(page).toContain(
      '- **A1** *MUST*: One thing holds.\n  - `test/a.test.ts` › a group › holds %s\\_%s',
    );
    expect(page).toContain('  - Otherwise here: It cannot be.');
    expect(page).toContain('## Not yet\n\n- **A3**: One thing holds. Missing: all of it.');
  });
});

it.each([
  [
    'groups within each other',
    `describe('a', () => { describe('b', () => { it('c', f); }); });`,
    ['a › b › c'],
  ],
  ['two kinds of tests', `it('a', f); test("b", f);`, ['a', 'b']],
  [
    'tables, by the text of their title',
    `it.each(rows)('takes %s', f); describe.each(rows)('$name', () => { it('a', f); });`,
    ['takes %s', '$name › a'],
  ],
  [
    'conditions',
    `it.skipIf(x).each(rows)('a', f); describe.runIf(x)('b', () => { it('c', f); });`,
    ['a', 'b › c'],
  ],
  ['a table in a template', 'it.each`x\n${1}`("a $x", f);', ['a $x']],
  ['titles that are computed', 'it(`${name} goes on`, f); it(name, f);', ['${name} goes on', '${name}']],
  [
    'tests in functions and loops',
    `export const suite = (name) => describe(\`\${name} keeps\`, () => { for (const x of y) it('a', f); });`,
    ['${name} keeps › a'],
  ],
  ['options before the work', `it('a', { timeout: 1 }, f);`, ['a']],
  ['nothing else', `expect(it).toBe('a', 1); other('b', f); it.todo('c');`, []],
])('titles of tests are read from %s', (_what, text, titles) => {
  expect(testTitlesIn('a.test.ts', text)).toEqual(titles);
});
