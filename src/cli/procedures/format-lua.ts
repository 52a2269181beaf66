import { TactusError } from '../../contract/errors.js';
import { lastArgument } from '../../contract/text/shell-word.js';

const width = 100;
const indent = 2;

/**
 * Lua as StyLua lays it out: two spaces, double quotes, and calls with or without parentheses as they were written.
 * What the program does stays the same, which is checked.
 * @throws TactusError source_invalid with the line where it is no Lua
 */
export async function formatLua(text: string, file: string): Promise<string> {
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
