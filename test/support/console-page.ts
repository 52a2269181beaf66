import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CliFolder } from './cli-folder.js';

/** A file that a reader saves. */
export interface SavedFile {
  file: string;
  text: string;
}

/** A command that a reader types, with what the page says that it prints. */
export interface ShownCommand {
  command: string;
  shown: string;
}

/** The blocks of a page in their order. The first line of a file is `-- NAME`, `# NAME` or `// NAME`. */
export function consoleBlocks(page: string): (SavedFile | ShownCommand)[] {
  const markdown = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, language, text = '']): (SavedFile | ShownCommand)[] => {
      if (language === 'console') return commandsIn(text);
      const file = /^(?:--|#|\/\/) (\S+\.\w+)\n/.exec(text)?.[1];
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

/** The shell of somebody who follows a page: variables and processes in the background stay until it is closed. */
export interface ReaderShell {
  save(file: SavedFile): void;
  /** @returns what the command prints, as `asShown` compares it */
  run(command: string): Promise<string>;
  close(): void;
}

const endOf = (text: string): boolean => text.endsWith('\0');

export function readerShell(folder: CliFolder): ReaderShell {
  const { node, bin, env } = folder.command;
  // A group of its own: whatever a page leaves in the background ends with it.
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder.path, env, detached: true });
  let printed = '';
  let heard: () => void = () => undefined;
  shell.stdout.on('data', (text: Buffer) => {
    printed += text.toString();
    if (endOf(printed)) heard();
  });
  return {
    save: ({ file, text }) => {
      const path = join(folder.path, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    run: async (command) => {
      printed = '';
      const ended = new Promise<void>((done) => (heard = done));
      const typed = command.replaceAll('npx tactus-temporal', `"${node}" "${bin}"`);
      shell.stdin.write(`{ ${typed}\n} 2>&1 < /dev/null; printf '\\0'\n`);
      await ended;
      return tidy(printed.slice(0, -1));
    },
    close: () => {
      try {
        process.kill(-(shell.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended.
      }
    },
  };
}

/** What a page shows, as a pattern: `…` stands for any text in a line. */
export function asShown(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^\\n]*?')}$`);
}
