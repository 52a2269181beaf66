import type { Chunk, Token } from './ast.js';
import { parseChunk, tokensOf, tokenType } from './parser.js';
import { explainSyntaxError, type SyntaxProblem } from './syntax-error.js';

interface WithoutAttributes {
  /** The text with spaces where an attribute stood, so that lines and columns stay. */
  text: string;
  /** Where the names of constants stand: "line:column", lines from 1 and columns from 0. */
  constants: ReadonlySet<string>;
}

/** Most sources have none, and needn't be split into tokens. */
const mayHaveOne = /<\s*const\s*>/;

/** Takes `<const>` out of `local x <const> = 1` and `local <const> x, y = 1, 2`, which the parser doesn't know. */
function withoutAttributes(text: string): WithoutAttributes {
  const constants = new Set<string>();
  if (!mayHaveOne.test(text)) return { text, constants };
  const tokens = tokensOf(text);
  const parts: string[] = [];
  let done = 0;
  const takeAt = (i: number): boolean => {
    const [open, word, close] = tokens.slice(i, i + 3);
    if (!isSign(open, '<') || word?.type !== tokenType.name || word.value !== 'const' || !isSign(close, '>'))
      return false;
    const [[from], [, to]] = [open.range, close.range];
    parts.push(text.slice(done, from), text.slice(from, to).replace(/[^\n\r]/g, ' '));
    done = to;
    return true;
  };
  for (const [start, token] of tokens.entries()) {
    if (token.type !== tokenType.keyword || token.value !== 'local') continue;
    const isForAll = takeAt(start + 1);
    let i = start + (isForAll ? 4 : 1);
    for (let name = tokens[i]; name?.type === tokenType.name; name = tokens[i]) {
      const isConstant = takeAt(i + 1);
      if (isConstant || isForAll) constants.add(`${name.line}:${name.range[0] - name.lineStart}`);
      i += isConstant ? 4 : 1;
      if (!isSign(tokens[i], ',')) break;
      i += 1;
    }
  }
  return { text: [...parts, text.slice(done)].join(''), constants };
}

function isSign(token: Token | undefined, sign: string): token is Token {
  return token?.type === tokenType.punctuator && token.value === sign;
}

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
