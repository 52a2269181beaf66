import type { Chunk } from './ast.js';
import { withoutAttributes } from './attributes.js';
import { parseChunk } from './parser.js';
import { explainSyntaxError, type SyntaxProblem } from './syntax-error.js';

export type Parsed = { chunk: Chunk; constants: ReadonlySet<string> } | { problem: SyntaxProblem };

/** Reads a source as Lua 5.3 with constants. A byte order mark and a first line for the shell are no Lua; the line stays. */
export function parse(text: string): Parsed {
  const lua = text.replace(/^\ufeff/, '').replace(/^#[^\n]*/, (line) => ' '.repeat(line.length));
  const { text: plain, constants } = withoutAttributes(lua);
  try {
    const chunk = parseChunk(plain);
    return { chunk, constants };
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('line' in error)) throw error;
    const { line, column, message } = error as SyntaxError & { line: number; column: number };
    return { problem: explainSyntaxError(lua, line, column, message.replace(/^\[\d+:\d+\] /, '')) };
  }
}
