import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CliFolder } from './cli-folder.js';

/** A file that a reader saves. */
interface SavedFile {
  file: string;
  text: string;
}

/** A command that a reader types, with what the page says that it prints. */
interface ShownCommand {
  command: string;
  shown: string;
}

/** The blocks of a page in their order. The first line of a file is `-- NAME`. */
export function consoleBlocks(page: string): (SavedFile | ShownCommand)[] {
  const markdown = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, language, text = '']): (SavedFile | ShownCommand)[] => {
      if (language === 'console') return commandsIn(text);
      const file = /^(?:--|#) (\S+\.\w+)\n/.exec(text)?.[1];
      return file === undefined ? [] : [{ file, text }];
    },
  );
}

function commandsIn(block: string): ShownCommand[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...shown] = text.split('\n');
      return { command, shown: tidy(shown.join('\n')) };
    });
}

/** Columns are as wide as their longest cell, which differs from run to run. */
function tidy(text: string): string {
  return text.replace(/ {2,}/g, '  ').trim();
}

/** Does what a reader of the page does, in a folder. Gives what a command prints. */
export function follow(folder: CliFolder, block: SavedFile | ShownCommand): string | null {
  if ('file' in block) {
    const path = join(folder.path, block.file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, block.text);
    return null;
  }
  const { node, bin, env } = folder.command;
  const command = block.command.replaceAll('npx tactus-temporal', `"${node}" "${bin}"`);
  const options = { cwd: folder.path, env, encoding: 'utf8', timeout: 120_000 } as const;
  return tidy(spawnSync('sh', ['-c', `{ ${command}\n} 2>&1`], options).stdout);
}

/** What a page shows, as a pattern: `…` stands for any text in a line. */
export function asShown(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^\\n]*?')}$`);
}
