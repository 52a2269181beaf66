/** Counts files, their imports of each other, and what lies flat in the rooms; with `--rooms` for each room. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const longest = 300;
/** A file that is the only one to import so many is a list of things of a kind. */
const listLength = 5;
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

const relativeImport = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

let lines = 0;
let imports = 0;
/** @type {Map<string, Set<string>>} who imports a file */
const importers = new Map([...files.keys()].map((file) => [file, new Set()]));
for (const [file, text] of files) {
  lines += text.split('\n').length - 1;
  for (const [, from = ''] of text.matchAll(relativeImport)) {
    imports++;
    const found = imported(file, from);
    if (found !== undefined) importers.get(found)?.add(file);
  }
}
const byOne = [...importers.values()].filter((each) => each.size === 1).map((each) => [...each][0] ?? '');
// Commands, primitives, routes, providers and so on: each is looked for by its name, and a list opens it.
const listed = byOne.filter((one) => byOne.filter((each) => each === one).length >= listLength).length;
const flat = rooms.map((room) => {
  const here = [...files.keys()].filter((file) => dirname(file) === join(src, room)).length;
  return `${room} ${here}`;
});
const long = [...files].filter(([, text]) => text.split('\n').length - 1 > longest);

const rows = [
  ['files of src, lines', `${files.size}, ${lines}`],
  ['relative imports per 1,000 lines', ((imports * 1_000) / lines).toFixed(0)],
  ['files imported by exactly one other', `${byOne.length} of ${files.size}`],
  ['  besides what a list opens by its name', `${byOne.length - listed}`],
  ['files that lie flat', flat.join(', ')],
  [`files of more than ${longest} lines`, long.map(([file]) => relative(src, file)).join(', ') || 'none'],
];
for (const [what = '', found = ''] of rows) console.log(`${what.padEnd(42)} ${found}`);
if (process.argv.includes('--rooms')) tellRooms();

function tellRooms() {
  const here = [...new Set([...files.keys()].map((file) => relative(src, file).split(sep)[0] ?? ''))];
  for (const room of here.filter((name) => !name.endsWith('.ts')).sort()) {
    const own = [...files].filter(([file]) => file.startsWith(join(src, room) + sep));
    const text = own.map(([, each]) => each).join('\n');
    const length = text.split('\n').length;
    const count = [...text.matchAll(relativeImport)].length;
    const single = own.filter(([file]) => importers.get(file)?.size === 1).length;
    const perThousand = ((count * 1_000) / length).toFixed(0);
    console.log(
      `${room.padEnd(14)} ${own.length} files, ${length} lines, ${perThousand} imports, ${single} by one`,
    );
  }
}
