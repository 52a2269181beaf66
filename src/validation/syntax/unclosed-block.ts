import type { Token } from './ast.js';
import { tokensOf, tokenType } from './parser.js';

export interface OpenBlock {
  line: number;
  column: number;
  /** `function`, `if`, `{`. */
  word: string;
  closer: string;
  indent: number;
}

const closers: Readonly<Record<string, string>> = {
  ...{ function: 'end', if: 'end', do: 'end', for: 'end', while: 'end', repeat: 'until' },
  ...{ '{': '}', '(': ')', '[': ']' },
};

/**
 * The block that is most likely missing its end. Lua notices only at the end of the file; how lines are indented tells
 * more: an `end` that stands further left than its opening word closes an outer block, so the inner one is open.
 */
export function unclosedBlock(text: string): OpenBlock | null {
  const lines = text.split('\n');
  const open: OpenBlock[] = [];
  let elseIf: OpenBlock | null = null;
  let last: Token | null = null;
  for (const token of wordsOf(text)) {
    const word = String(token.value);
    const isElseIf = word === 'if' && last?.value === 'else' && last.line === token.line;
    last = token;
    const column = token.range[0] - token.lineStart + 1;
    const indent = indentOf(lines[token.line - 1] ?? '');
    const isLoopBody = word === 'do' && ['for', 'while'].includes(open.at(-1)?.word ?? '') && !isBegun(open);
    if (isLoopBody) begun.add(open.at(-1) as OpenBlock);
    else if (Object.hasOwn(closers, word)) {
      open.push({ line: token.line, column, word, closer: closers[word] ?? '', indent });
      if (isElseIf) elseIf ??= { line: token.line, column, word: 'else if', closer: 'end', indent };
    } else if (Object.values(closers).includes(word)) {
      const block = open.pop();
      if (block === undefined) return null;
      const startsLine = indent === column - 1;
      if (block.closer !== word || (startsLine && block.line !== token.line && column - 1 < block.indent))
        return elseIf ?? block;
    }
  }
  return elseIf ?? open.at(-1) ?? null;
}

/** The bracket that is open where a line begins which stands too far left to be within it; null where there is none. */
export function unclosedBracket(text: string, line: number): OpenBlock | null {
  const lines = text.split('\n');
  const open: OpenBlock[] = [];
  for (const token of wordsOf(lines.slice(0, line - 1).join('\n'))) {
    const word = String(token.value);
    const indent = indentOf(lines[token.line - 1] ?? '');
    const column = token.range[0] - token.lineStart + 1;
    if (/^[{([]$/.test(word))
      open.push({ line: token.line, column, word, closer: closers[word] ?? '', indent });
    else if (/^[})\]]$/.test(word)) open.pop();
  }
  const last = open.at(-1);
  const written = lines[line - 1] ?? '';
  return last !== undefined && written.trim() !== '' && indentOf(written) <= last.indent ? last : null;
}

/** Loops whose `do` has been seen. */
const begun = new WeakSet<OpenBlock>();

function isBegun(open: readonly OpenBlock[]): boolean {
  const last = open.at(-1);
  return last !== undefined && begun.has(last);
}

function wordsOf(text: string): Token[] {
  return tokensOf(text).filter(({ type }) => type === tokenType.keyword || type === tokenType.punctuator);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
