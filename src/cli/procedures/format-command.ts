import { Command } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import { TactusError } from '../../contract/errors.js';
import { unreadFile } from '../../sources/unread-file.js';
import { act, type Context } from '../context.js';
import { exitCodes, type ExitCode } from '../terminal/exit-codes.js';
import { formatLua } from './format-lua.js';

interface FormatFlags {
  check?: boolean;
  stdout?: boolean;
}

/** `format FILE…`: lays the files out in one way. */
export function formatCommand(): Command {
  return new Command('format')
    .description('lay the files out in one way, without changing what they do')
    .argument('<files...>', 'procedures, and other Lua files')
    .option('--check', 'change nothing; end with 1 where a file would be changed')
    .option('--stdout', 'change nothing; print what the file would be')
    .action(act((context, flags: FormatFlags, files: string[]) => format(context, flags, files)));
}

async function format({ screen }: Context, flags: FormatFlags, names: string[]): Promise<ExitCode> {
  if (flags.stdout === true && (names.length > 1 || screen.options.json || flags.check === true))
    throw new TactusError('usage', '--stdout takes one file, and neither --json nor --check');
  // All are read before one is written: a broken one leaves the others as they are.
  const files = await Promise.all(
    names.map(async (file) => {
      const text = await readText(file);
      return { file, text, formatted: await formatLua(text, file) };
    }),
  );
  if (flags.stdout === true) {
    screen.file(files[0]?.formatted ?? '');
    return exitCodes.done;
  }
  const changed = files.filter(({ text, formatted }) => text !== formatted);
  if (flags.check !== true) for (const { file, formatted } of changed) await writeFile(file, formatted);
  const shown = files.map(({ file, text, formatted }) => ({ file, changed: text !== formatted }));
  screen.answer({ files: shown }, () => formatText(changed, files.length, flags.check === true));
  return flags.check === true && changed.length > 0 ? exitCodes.failed : exitCodes.done;
}

/** @throws TactusError source_not_found, source_invalid */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch(async () => {
    throw await unreadFile(file);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TactusError('source_invalid', `${file} is not UTF-8 text`, { file });
  }
}

function formatText(changed: readonly { file: string }[], count: number, isCheck: boolean): string {
  const verb = isCheck ? 'would be changed' : 'changed';
  return [
    ...changed.map(({ file }) => `${file} ${verb}`),
    `${changed.length} of ${count} files ${verb}`,
  ].join('\n');
}
