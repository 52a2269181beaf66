import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { asShown, consoleBlocks, readerShell, type ReaderShell } from '../../support/console-page.js';
import { waitUntil } from '../../support/wait-until.js';

/** Pages that show commands with what they print: a reader can follow them in an empty folder. Their ports may be taken here. */
const pages = [
  { page: 'docs/start.md', commands: 11, ports: [] },
  { page: 'docs/production/first-hour.md', commands: 26, ports: ['8700', '8701', '8790'] },
];

/** What changes nothing, and may be asked again until a run is there. */
const onlyLooks = /^(?:curl|npx tactus-temporal (?:status|list|doctor|hold list|dlq list))\b/;

describe.each(pages)('whoever follows $page in an empty folder', ({ page, commands, ports }) => {
  let folder: CliFolder;
  let shell: ReaderShell;
  beforeAll(() => {
    folder = cliFolder();
    shell = readerShell(folder);
  });
  afterAll(async () => {
    shell?.close();
    await folder?.close();
  });

  it('sees what the page shows, command by command', { timeout: 240_000 }, async () => {
    const free = new Map<string, string>();
    for (const port of ports) free.set(port, String(await freePort()));
    const here = (text: string): string =>
      [...free].reduce((found, [port, other]) => found.replaceAll(port, other), text);

    const blocks = consoleBlocks(page);
    expect(blocks.filter((block) => 'command' in block)).toHaveLength(commands);
    for (const block of blocks) {
      if ('file' in block) {
        shell.save({ ...block, text: here(block.text) });
        continue;
      }
      const looks = async (): Promise<void> => {
        expect(await shell.run(here(block.command)), block.command).toMatch(asShown(here(block.shown)));
      };
      await (onlyLooks.test(block.command) ? waitUntil(() => looks().then(() => true), 60_000) : looks());
    }
  });
});
