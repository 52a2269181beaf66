import { Command } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import { unreadFile } from '../../sources/collect-source.js';
import { TactusError, lastArgument, act, exitCodes, type Context, type ExitCode } from '../command.js';

const width = 100;
const indent = 2;

/**
 * Lua as StyLua lays it out: two spaces, double quotes, and calls with or without parentheses as they were written.
 * What the program does stays the same, which is checked.
 * @throws TactusError source_invalid with the line where it is no Lua
 */
async function formatLua(text: string, file: string): Promise<string> {
  const stylua = await import('@johnnymorganz/stylua');
  const config = stylua.Config.new();
  config.syntax = stylua.LuaVersion.Lua54;
  config.column_width = width;
  config.indent_type = stylua.IndentType.Spaces;
  config.indent_width = indent;
  config.quote_style = stylua.QuoteStyle.AutoPreferDouble;
  config.call_parentheses = stylua.CallParenType.Input;
  try {
    return stylua.formatCode(text, config, undefined, stylua.OutputVerification.Full);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = Number(/\((\d+):\d+ to /.exec(message)?.[1] ?? 1);
    throw new TactusError(
      'source_invalid',
      `${file}:${line}: this is no Lua, so it can't be formatted: see tactus-temporal validate ${lastArgument(file)}`,
      { file, line },
    );
  }
}

interface FormatFlags {
  check?: boolean;
  stdout?: boolean;
}

/** `format FILE…`: lays the files out in one way. */
export function formatCommand(): Command {
  return new Command('format')
    .description('format files without changing what they do')
    .argument('<files...>', 'procedures, and other Lua files')
    .option('--check', 'change nothing; exit with 1 if a file would be changed')
    .option('--stdout', 'change nothing; print the formatted file')
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
