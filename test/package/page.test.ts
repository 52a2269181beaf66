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
