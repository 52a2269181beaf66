import { arrow } from './test-titles.mjs';

/** How strong a requirement is, or what it describes, in the order in which the page explains them. */
export const kinds = {
  MUST: 'has to be so',
  SHOULD: 'is recommended',
  state: 'a state that something can be in',
  trigger: 'what starts something',
  error: 'how something fails',
  guarantee: 'what users can rely on',
  validation: 'a case that the document wants to be tested',
};

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {keyof typeof kinds} kind
 * @property {string} says
 * @property {string[]} [tests] each `FILE › TITLE`
 * @property {string} [reason] why it is otherwise here, or can't be
 * @property {string} [open] what is missing
 *
 * @typedef {object} Document
 * @property {string} document what it is
 * @property {{ title: string, rows: Row[] }[]} sections
 */

/**
 * What is wrong with the rows: one that nothing shows, one that names a test which isn't there, one of an unknown kind, an id that is there twice.
 * @param {Document[]} documents
 * @param {(file: string) => string[] | undefined} titlesOf the titles in a file, if there is one
 * @returns {string[]}
 */
export function findFaults(documents, titlesOf) {
  const faults = [];
  const ids = new Set();
  for (const row of documents.flatMap(rowsOf)) {
    if (ids.has(row.id)) faults.push(`${row.id}: there are two rows with this id`);
    ids.add(row.id);
    if (!(row.kind in kinds)) faults.push(`${row.id}: the kind ${row.kind} is unknown`);
    const tests = row.tests ?? [];
    if (tests.length === 0 && !row.reason && !row.open)
      faults.push(`${row.id}: has no test, no reason and nothing that is open: ${row.says}`);
    if (row.reason && row.open) faults.push(`${row.id}: has a reason, and is open as well`);
    for (const test of tests) {
      const [file, ...title] = test.split(arrow);
      const titles = titlesOf(file);
      if (titles === undefined) faults.push(`${row.id}: there is no file ${file}`);
      else if (!titles.includes(title.join(arrow))) faults.push(`${row.id}: there is no test ${test}`);
    }
  }
  return faults;
}

/** @param {Document} document @returns {Row[]} */
export const rowsOf = ({ sections }) => sections.flatMap(({ rows }) => rows);
