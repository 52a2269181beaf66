/** Counts files, their imports of each other, and what lies flat in the rooms. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const longest = 300;
const rooms = ['cli', 'contract', 'activities', 'client'];

const files = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => [join(src, name), readFileSync(join(src, name), 'utf8')]),
);

/** @param {string} file @param {string} from as it stands in an import */
function imported(file, from) {
  const path = resolve(dirname(file), from).replace(/\.js$/, '');
  return ['.ts', '.tsx', `${sep}index.ts`].map((ending) => path + ending).find((each) => files.has(each));
}

let lines = 0;
let imports = 0;
/** @type {Map<string, Set<string>>} who imports a file */
const importers = new Map([...files.keys()].map((file) => [file, new Set()]));
for (const [file, text] of files) {
  lines += text.split('\n').length - 1;
  for (const [, from = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    imports++;
    const found = imported(file, from);
    if (found !== undefined) importers.get(found)?.add(file);
  }
}
const byOne = [...importers.values()].filter((each) => each.size === 1).length;
const flat = rooms.map((room) => {
  const here = [...files.keys()].filter((file) => dirname(file) === join(src, room)).length;
  return `${room} ${here}`;
});
const long = [...files].filter(([, text]) => text.split('\n').length - 1 > longest);

const rows = [
  ['files of src, lines', `${files.size}, ${lines}`],
  ['relative imports per 1,000 lines', ((imports * 1_000) / lines).toFixed(0)],
  ['files imported by exactly one other', `${byOne} of ${files.size}`],
  ['files that lie flat', flat.join(', ')],
  [`files of more than ${longest} lines`, long.map(([file]) => relative(src, file)).join(', ') || 'none'],
];
for (const [what = '', found = ''] of rows) console.log(`${what.padEnd(42)} ${found}`);
