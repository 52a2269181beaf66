import { describe, expect, it } from 'vitest';
import { commandsPage } from '../../../site/commands-page.mjs';
import { readPage, replaceDrawings, replaceLinks } from '../../../site/markdown.mjs';
import { readOutline } from '../../../site/outline.mjs';

describe('a page of the site', () => {
  it('has the title and the first sentence of its document', () => {
    const page = readPage(
      '# `Human` [waits](a.md)\n\n<!-- a note -->\n\nIt *waits* for `3.5` days. Then it ends.\n',
      'x.md',
    );
    expect(page).toMatchObject({ title: 'Human waits', description: 'It waits for 3.5 days.' });
    expect(page.body).not.toContain('# `Human`');
    expect(readPage('# Title\n\n```sh\nls\n```\n', 'x.md').description).toBe('');
    expect(() => readPage('no heading', 'x.md')).toThrow('x.md has no heading');
  });

  it('has its links replaced, and its code as it is', () => {
    const markdown = [
      'See [`a`](a.md#x) and ![b](b.png), [src](../src/x.ts), [web](https://e.org) and [here](#here).',
      'Code `[c](c.md)` and (`[2] is\n` over `[two](d.md)` lines) stay, [e](e.md) not.',
      '```lua\nlocal x = [f](f.md)\n```',
      '[g](g.md)',
    ].join('\n\n');
    const seen: string[] = [];
    const replaced = replaceLinks(markdown, (target) => {
      seen.push(target);
      return target.startsWith('../') ? null : `/${target}`;
    });
    expect(seen).toEqual(['a.md#x', 'b.png', '../src/x.ts', 'e.md', 'g.md']);
    expect(replaced).toContain(
      'See [`a`](/a.md#x) and ![b](/b.png), src, [web](https://e.org) and [here](#here).',
    );
    expect(replaced).toContain('`[c](c.md)`');
    expect(replaced).toContain('local x = [f](f.md)');
  });

  it('has pictures for drawings, in one block of HTML', () => {
    const text = replaceDrawings('a\n\n```mermaid\nflowchart\n```\n\nb', (of) => `<svg>${of}\n\n</svg>`);
    expect(text).toBe(
      'a\n\n<figure class="drawing" tabindex="0" aria-label="Drawing"><svg>flowchart\n\n</svg></figure>\n\nb'.replace(
        '\n\n</svg>',
        '\n</svg>',
      ),
    );
  });
});

it('all commands are on one page, with their parts, arguments and flags', () => {
  const option = {
    ...{ flags: '--to <a|b>', description: 'where to', value: 'a|b', optional_value: false },
    ...{ variadic: false, required: false, default: 'a' },
  };
  const part = { name: 'x y', description: 'does <y>', usage: 'x y <file>', options: [option], commands: [] };
  const file = { name: 'file', description: 'the file', required: false, variadic: false };
  const command = { name: 'x', description: 'does x', usage: 'x', arguments: [], options: [] };
  const help = { ...command, commands: [{ ...command, commands: [{ ...part, arguments: [file] }] }] };
  const page = commandsPage(help);
  expect(page).toContain('## x\n\nDoes x.\n\n### x y\n\nDoes &lt;y>.');
  expect(page).toContain('```sh\ntactus-temporal x y <file>\n```');
  expect(page).toContain('| `file` | the file (optional) |');
  expect(page).toContain('| `--to <a\\|b>` | where to (default: `"a"`) |');
});

describe('the outline of the site', () => {
  it('has each page once, each at a place of its own', () => {
    const pages = readOutline('.').flatMap((group) => group.pages);
    expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
    expect(new Set(pages.map(({ place }) => place)).size).toBe(pages.length);
    expect(pages.length).toBeGreaterThan(230);
    expect(pages).toContainEqual({ path: 'docs/guide/README.md', place: 'guide' });
  });
});
