import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const folder = resolve('lib/page');
const most = 120_000;

it('the page is one script, one style sheet and an icon, all of its own, and small', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, path = '']) => path);
  expect(named.map((path) => path.split('.').pop())).toEqual(['svg', 'css', 'js']);
  for (const path of named) expect(path).toMatch(/^\/assets\/[a-z]+-[A-Za-z0-9]{8}\.(svg|css|js)$/);
  for (const path of named) expect(existsSync(join(folder, path))).toBe(true);
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  const bytes = named.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
  expect(bytes).toBeLessThan(most);
  expect(readFileSync(join(folder, 'LICENSES.txt'), 'utf8')).toMatch(/preact[\s\S]*eventsource-parser/);
});

it('the first picture of the playground needs few bytes: engine and editor come after it', () => {
  const playground = resolve('lib/playground');
  const html = readFileSync(join(playground, 'index.html'), 'utf8');
  const first = [...html.matchAll(/(?:href|src)="\.\/([^"]*)"/g)].map(([, path = '']) => path);
  // What a script imports is loaded with it; what it loads by a call isn't.
  for (const file of first.filter((path) => path.endsWith('.js')))
    for (const [, path = ''] of readFileSync(join(playground, file), 'utf8').matchAll(
      /(?:from|import)\s*"\.\/([^"]+)"/g,
    ))
      if (!first.includes(path)) first.push(path);
  expect(first.some((path) => path.startsWith('chunk-'))).toBe(true);
  expect(first.filter((path) => /^(engine|code-editor)-/.test(path))).toEqual([]);
  const bytes = first.reduce((sum, path) => sum + statSync(join(playground, path)).size, 0);
  expect(bytes).toBeLessThan(300_000);
  const licences = readFileSync(join(playground, 'LICENSES.txt'), 'utf8');
  for (const name of ['preact', 'fengari', '@codemirror/view', 'luaparse'])
    expect(licences).toContain(`${name}\n===`);
});
