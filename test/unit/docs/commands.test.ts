import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.js';
import { textsOfCode } from './messages-of-code.js';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const program = await createProgram([]);

/** Pages for readers: what decisions and the changelog say was true when it was written. */
function pages(): string[] {
  const docs = (readdirSync(join(project, 'docs'), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.md') && !/^(decisions|reference)\//.test(name))
    .map((name) => `docs/${name}`);
  return ['README.md', 'CONTRIBUTING.md', ...docs];
}

/** Command lines in the code of a page: in blocks, a line each, and in code within a sentence. */
function commandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```(?:sh|bash|shell|console|text)?\n([^]*?)^ *```/gm)].flatMap(
    ([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...text.replace(/^ *```[^]*?^ *```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  );
  // `log RUN --json`: within a sentence the name is left out.
  const short = inline.filter((code) => /^[a-z-]+ .*--[a-z]/.test(code) && isCommand(code));
  return [...[...blocks, ...inline].flatMap(partsAfterName), ...short];
}

/** What stands behind the name of the command line, up to where a shell, or a sentence, goes on with something else. */
function partsAfterName(line: string): string[] {
  return [...line.matchAll(/(?:^|[\s$;&|(])(?:npx )?tactus-temporal +([a-z][^|;&#<>`]*)/g)].map(
    ([, rest = '']) => rest,
  );
}

function isCommand(code: string): boolean {
  return program.commands.some((each) => each.name() === code.split(' ')[0]);
}

/** What a line has that no help names; null: nothing. */
function unknownIn(line: string): string | null {
  const words = line.split(/\s+/);
  let command: Command = program;
  for (const word of words) {
    const found = command.commands.find((each) => each.name() === word.replace(/[.,:]$/, ''));
    if (found === undefined) break;
    command = found;
  }
  if (command === program) return `no command ${words[0]}`;
  const flags = words.flatMap((word) => /^\[?(--?[a-z][\w-]*)/.exec(word)?.[1] ?? []);
  const known = [command, command.parent ?? command, program].flatMap(({ options }) =>
    options.flatMap(({ long, short }) => [long, short]),
  );
  const unknown = flags.find((flag) => !['--help', '-h', ...known].includes(flag));
  return unknown === undefined ? null : `${command.name()} has no ${unknown}`;
}

describe('commands and flags are those that help names', () => {
  it.each(pages())('in %s', (page) => {
    const wrong = commandLines(readFileSync(join(project, page), 'utf8')).map(unknownIn);
    expect(wrong.filter((each) => each !== null)).toEqual([]);
  });

  it('in messages and hints of the code', () => {
    const wrong = [...textsOfCode()]
      .flatMap(partsAfterName)
      .filter((line) => !/^(\{\}|wrote)/.test(line))
      .map(unknownIn);
    expect(wrong.filter((each) => each !== null)).toEqual([]);
  });
});
