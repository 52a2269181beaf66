import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { asShown, consoleBlocks, follow } from '../../support/console-page.js';

/** Pages that show commands with what they print: a reader can follow them in an empty folder. */
const pages = [{ page: 'docs/start.md', commands: 11 }];

describe.each(pages)('whoever follows $page in an empty folder', ({ page, commands }) => {
  let folder: CliFolder;
  beforeAll(() => {
    folder = cliFolder();
  });
  afterAll(() => folder?.close());

  it('sees what the page shows, command by command', { timeout: 240_000 }, () => {
    const blocks = consoleBlocks(page);
    expect(blocks.filter((block) => 'command' in block)).toHaveLength(commands);
    for (const block of blocks) {
      const printed = follow(folder, block);
      if ('command' in block) expect(printed, block.command).toMatch(asShown(block.shown));
    }
  });
});
