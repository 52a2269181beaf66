import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const project = resolve(import.meta.dirname, '../../..');
const folder = join(project, 'contributing');
const pages = globSync('*.md', { cwd: folder }).sort();

/** What a page of a change says: the word that finds its example, the places to search, and the files of its table. */
function readPage(name: string): { word: RegExp; places: string[]; files: string[] } {
  const text = readFileSync(join(folder, name), 'utf8');
  const [, word = '', places = 'src package.json'] = /<!-- example: (\S+?)(?: in (.+))? -->/.exec(text) ?? [];
  const files = [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, file]) => file ?? '');
  return { word: new RegExp(`\\b${word}\\b`, 'i'), places: places.split(' '), files };
}

/** The files of a place that name the example, as a newcomer would find them. */
function filesNaming(word: RegExp, place: string): string[] {
  const files = place.includes('.') ? [place] : globSync(`${place}/**/*.{ts,tsx,lua,md}`, { cwd: project });
  return files
    .filter((file) => !file.includes('.generated.') && !file.endsWith('README.md'))
    .filter((file) => word.test(readFileSync(join(project, file), 'utf8')));
}

it('there is a page for each kind of change that CONTRIBUTING.md names', () => {
  const text = readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8');
  const named = [...text.matchAll(/\]\(contributing\/([a-z-]+\.md)\)/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(pages);
});

describe.each(pages)('contributing/%s', (name) => {
  const { word, places, files } = readPage(name);

  it('names files that exist', () => {
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !existsSync(join(project, file)))).toEqual([]);
  });

  it('names every file that its example touches', () => {
    const found = places.flatMap((place) => filesNaming(word, place));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((file) => !files.includes(file))).toEqual([]);
  });
});
