import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { codeBlocks } from '../../support/code-blocks.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder?.close());

/** Pages on which each block of Lua is a whole file with its tests. */
const pages = ['docs/recipes.md', ...globSync(['docs/guide/[0-9]*.md', 'docs/coming-from/[a-z]*.md']).sort()];

describe('what stands in the documents as a whole file', () => {
  it('is there, on twenty pages', () => {
    expect(pages).toHaveLength(20);
    expect(pages.flatMap((page) => codeBlocks(page, 'lua')).length).toBeGreaterThan(55);
  });

  it('has at least 26 recipes, each under a heading and in the list of the page', () => {
    const text = readFileSync('docs/recipes.md', 'utf8');
    const recipes = [...text.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    expect(recipes.length).toBeGreaterThanOrEqual(26);
    expect(codeBlocks('docs/recipes.md', 'lua')).toHaveLength(recipes.length);
    expect([...text.matchAll(/^ {2}- \[(.+)\]\(#/gm)].map(([, title]) => title)).toEqual(recipes);
  });

  it.each(pages)('is valid without a word, and passes its tests: %s', async (page) => {
    const files = codeBlocks(page, 'lua').map((text, i) => {
      const name = `${page.replace(/.*\/|\.md/g, '')}-${i + 1}.tac`;
      folder.write(name, text);
      return name;
    });
    const valid = await folder.runHere(['validate', ...files]);
    expect(valid.stdout + valid.stderr).toBe(
      files.length === 1 ? `${files[0]}: valid\n` : `${files.length} files: valid\n`,
    );
    const tested = await folder.runHere(['test', ...files, '--mock']);
    expect(tested.code, tested.stdout + tested.stderr).toBe(0);
    expect(Number(/^\d+/.exec(tested.stdout)?.[0])).toBeGreaterThanOrEqual(files.length);
  });
});
