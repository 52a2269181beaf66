import luaparse from 'luaparse';
import type { Chunk, Token } from './ast.js';

/** @throws SyntaxError with line and column where the text is no Lua 5.3 */
export function parseChunk(text: string): Chunk {
  return luaparse.parse(text, { luaVersion: '5.3', locations: true, comments: false });
}

/** Types of tokens, as luaparse numbers them. */
export const tokenType = { endOfFile: 1, keyword: 4, name: 8, punctuator: 32 } as const;

/** The tokens of a text, up to where it is no Lua. */
export function tokensOf(text: string): Token[] {
  const parser = luaparse.parse({ wait: true, luaVersion: '5.3' });
  const tokens: Token[] = [];
  try {
    parser.write(text);
    for (let token = parser.lex(); token.type !== tokenType.endOfFile; token = parser.lex())
      tokens.push(token);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return tokens;
}
