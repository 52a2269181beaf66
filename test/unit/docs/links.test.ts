import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };

const roomPages = globSync('src/*/README.md', { cwd: root });

/** Who reads of the code has the repository, where the package has none of it. */
const inRepository = ['src', 'CONTRIBUTING.md', 'contributing', 'scripts', 'test', 'tsconfig.sandbox.json'];

/** npm adds these by itself. */
const shipped = [...files, 'README.md', 'LICENSE', 'package.json'];
const ofCode = ['docs/architecture.md', 'CONTRIBUTING.md', ...roomPages];
const reachable = Object.fromEntries(ofCode.map((page) => [page, [...shipped, ...inRepository]]));

const documents = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...roomPages],
  ...globSync('docs/**/*.md', { cwd: root }),
];

/** Links to files, without those to the web and within the same page. */
function linksIn(text: string): string[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^(https?:|#)/.test(link));
}

it.each(documents)('what %s links to is there, and in the package', (document) => {
  const missing = linksIn(readFileSync(join(root, document), 'utf8')).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = join(root, dirname(document), path);
    const below = relative(root, target);
    const isShipped = (reachable[document] ?? shipped).some(
      (each) => below === each || below.startsWith(`${each}/`),
    );
    return !isShipped || !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(missing).toEqual([]);
});

/** As GitHub makes them of headings. */
function anchorsOf(file: string): string[] {
  if (!file.endsWith('.md')) return [];
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm);
  const times = new Map<string, number>();
  return [...headings].map(([, text = '']) => {
    const anchor = text
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

it('each room has a page that says where a reader begins', () => {
  const rooms = globSync('src/*/', { cwd: root }).map((room) => room.replace(/\/$/, ''));
  expect(roomPages.map((page) => dirname(page)).sort()).toEqual(rooms.sort());
});
