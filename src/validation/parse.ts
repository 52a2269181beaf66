import luaparse, { type Chunk } from 'luaparse';
import { explainSyntaxError, type SyntaxProblem } from './syntax-error.js';

export type Parsed = { chunk: Chunk } | { problem: SyntaxProblem };

/** Reads a source as Lua 5.3. A byte order mark and a first line for the shell are no Lua; the line stays. */
export function parse(text: string): Parsed {
  const lua = text.replace(/^\ufeff/, '').replace(/^#[^\n]*/, (line) => ' '.repeat(line.length));
  try {
    return { chunk: luaparse.parse(lua, { luaVersion: '5.3', locations: true, comments: false }) };
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('line' in error)) throw error;
    const { line, column, message } = error as SyntaxError & { line: number; column: number };
    return { problem: explainSyntaxError(lua, line, column, message.replace(/^\[\d+:\d+\] /, '')) };
  }
}
