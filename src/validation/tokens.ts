import luaparse, { type Token } from 'luaparse';

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
