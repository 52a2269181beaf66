import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../support/cli-folder.js';
import { codeBlocks } from '../support/code-blocks.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder?.close());

const recipes = codeBlocks('docs/recipes.md', 'lua');

describe('the recipes', () => {
  it('are valid without a word, and pass their tests', async () => {
    expect(recipes.length).toBeGreaterThan(9);
    const files = recipes.map((text, i) => {
      folder.write(`recipe-${i + 1}.tac`, text);
      return `recipe-${i + 1}.tac`;
    });
    const valid = await folder.run(['validate', ...files]);
    expect(valid.stdout + valid.stderr).toBe(`${files.length} files: valid\n`);
    const tested = await folder.run(['test', ...files, '--mock']);
    expect(tested.code, tested.stdout + tested.stderr).toBe(0);
  });
});
