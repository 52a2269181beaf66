import { kinds, rowsOf } from './find-faults.mjs';
import { arrow } from './test-titles.mjs';

/** @typedef {import('./find-faults.mjs').Document} Document */
/** @typedef {import('./find-faults.mjs').Row} Row */

/** The page of all rows. @param {Document[]} documents @returns {string} */
export function requirementsPage(documents) {
  return `${[head, countsOf(documents), ...documents.map(partOf), notYet(documents)].flat().join('\n\n')}\n`;
}

const head = [
  '# Requirements, and the tests that show them',
  `You can look up here what the documents that this project started from require, and which test shows it.
Each row says one requirement in short words. Below it are the tests that show it: the file, then the title.
Where a requirement does not hold here, or holds otherwise, the row says why.`,
  `The page is made from the files in \`test/requirements\` by \`npm run requirements\`. The command fails if a row has no
test and no reason, or if it names a test that does not exist.`,
  [
    '| word | a row with it says |',
    '| --- | --- |',
    ...Object.entries(kinds).map((pair) => `| ${pair.join(' | ')} |`),
  ].join('\n'),
];

/** @param {Document[]} documents */
function countsOf(documents) {
  const all = { document: 'all', sections: documents.flatMap(({ sections }) => sections) };
  const lines = [...documents, all].map((document) => {
    const rows = rowsOf(document);
    const counts = [rows, ...[isShown, isOtherwise, isOpen].map((is) => rows.filter(is))];
    return `| ${[document.document, ...counts.map(({ length }) => length)].join(' | ')} |`;
  });
  return [
    '## How many there are',
    'What is missing is listed [at the end](#not-yet).',
    [
      '| document | rows | shown by tests | otherwise, with a reason | not yet |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
    ].join('\n'),
  ];
}

/** @param {Row} row */
const isOpen = ({ open }) => Boolean(open);
/** @param {Row} row */
const isOtherwise = ({ reason }) => Boolean(reason);
/** @param {Row} row */
const isShown = (row) => !isOpen(row) && !isOtherwise(row);

/** @param {Document} document */
const partOf = ({ document, sections }) => [
  `## ${document}`,
  ...sections.flatMap(({ title, rows }) => [`### ${title}`, rows.map(lineOf).join('\n')]),
];

/** @param {Row} row */
function lineOf({ id, kind, says, tests = [], reason, open }) {
  const notes = [reason && `Otherwise here: ${reason}`, open && `Not yet: ${open}`].filter(Boolean);
  return [
    `- **${id}** *${kind}*: ${says}`,
    ...notes.map((note) => `  - ${note}`),
    ...tests.map((test) => {
      const [file, ...title] = test.split(arrow);
      return `  - \`${file}\`${arrow}${plain(title.join(arrow))}`;
    }),
  ].join('\n');
}

/** What Markdown would take for its own is shown as it is. @param {string} text */
const plain = (text) => text.replace(/[\\`*_<>[\]|#]/g, (sign) => `\\${sign}`);

/** @param {Document[]} documents */
function notYet(documents) {
  const rows = documents.flatMap(rowsOf).filter(isOpen);
  const lines = rows.map(({ id, says, open }) => `- **${id}**: ${says} Missing: ${open}`);
  return ['## Not yet', lines.length === 0 ? 'No row is open.' : lines.join('\n')];
}
