import type { Token } from './ast.js';
import { tokensOf, tokenType } from './parser.js';

/** Why a file is no Lua. `line` and `column` count from 1. */
export interface SyntaxProblem {
  line: number;
  column: number;
  message: string;
  suggestion: string | null;
}

interface Hint {
  /** Found in the line of the error, or in the one before where `before` is set. */
  pattern: RegExp;
  message: string;
  suggestion: string;
}

/** What people write who know another language, or another Lua. */
const hints: readonly Hint[] = [
  {
    pattern: /<\s*close\s*>/,
    message: 'Nothing is closed at the end of a block: there is no attribute <close>',
    suggestion: 'leave the attribute out, and close the value yourself',
  },
  { pattern: /!=/, message: '!= is no operator of Lua', suggestion: 'write ~=' },
  { pattern: /[\w\])"']\s*(\+\+|--$)/, message: '++ is no operator of Lua', suggestion: 'write x = x + 1' },
  {
    pattern: /[\w\]]\s*([-+*/%^]|\.\.)=(?!=)/,
    message: 'Lua has no compound assignment such as +=',
    suggestion: 'write x = x + …',
  },
  {
    pattern: /^\s*continue\b|\b(then|do|else)\s+continue\b/,
    message: 'Lua has no continue',
    suggestion: 'write goto continue, and ::continue:: before the end of the loop',
  },
  { pattern: /&&|\|\|/, message: '&& and || are no operators of Lua', suggestion: 'write and, or' },
  { pattern: /(^|[\s(=])!\s*[\w(]/, message: '! is no operator of Lua', suggestion: 'write not' },
  {
    pattern: /^\s*(\/\/|\/\*|#)/,
    message: 'This is no comment of Lua',
    suggestion: 'write -- before a comment',
  },
  {
    pattern: /^\s*(let|const|var)\s+\w/,
    message: 'Lua declares variables with local',
    suggestion: 'write local x = …',
  },
  { pattern: /^\s*(elif|elsif)\b/, message: 'Lua writes elseif', suggestion: 'write elseif … then' },
  {
    pattern: /^\s*else\s+if\b.*\bthen\b/,
    message: 'else if opens an if of its own',
    suggestion: 'write elseif … then',
  },
  {
    pattern: /^\s*(def|func|fn)\s+\w/,
    message: 'Lua declares functions with function',
    suggestion: 'write local function name(…) … end',
  },
  {
    pattern: /^\s*(switch|match|case)\b.*[:{]?\s*$/,
    message: 'Lua has no switch',
    suggestion: 'write if … elseif … end',
  },
  {
    pattern: /^\s*(try|catch|except)\b/,
    message: 'Lua has no try',
    suggestion: 'write local ok, err = pcall(function() … end)',
  },
  { pattern: /=>|->/, message: 'Lua has no arrow functions', suggestion: 'write function(x) return … end' },
  { pattern: /`/, message: 'Lua has no texts in backquotes', suggestion: 'write "…" or [[…]]' },
  {
    pattern: /^\s*(if|elseif|while)\b[^=~<>]*[^=~<>]=[^=]/,
    message: 'A single = assigns, and is no condition',
    suggestion: 'write == to compare',
  },
  {
    pattern: /^\s*(" *"|[\w-]+)\s*:\s*[^:\s]/,
    message: 'Tables are written with =',
    suggestion: 'write { name = value }',
  },
];

/** Says in plain words what the parser stumbled over. */
export function explainSyntaxError(
  text: string,
  line: number,
  column: number,
  message: string,
): SyntaxProblem {
  const lines = text.split('\n');
  const written = withoutTexts(lines[line - 1] ?? '');
  const place = { line, column: column + 1 };
  const hint = hints.find(({ pattern }) => pattern.test(written));
  if (hint !== undefined) {
    const at = hint.pattern.exec(written);
    const start = (at?.index ?? 0) + (at?.[0].length ?? 0) - (at?.[0].trimStart().length ?? 0);
    return { line, column: start + 1, message: hint.message, suggestion: hint.suggestion };
  }
  const started = /^unfinished long (?:string|comment) \(starting at (?:line )?(\d+)\)/.exec(message)?.[1];
  if (started !== undefined)
    return {
      ...{
        line: Number(started),
        column: Math.max(0, (lines[Number(started) - 1] ?? '').search(/\[=*\[/)) + 1,
      },
      message: 'This text or comment in long brackets is never closed',
      suggestion: 'add ]]',
    };
  if (/^no loop to break/.test(message)) {
    const at = lines.slice(0, line).findLastIndex((each) => /\bbreak\b/.test(each));
    const found = { line: at + 1, column: (lines[at] ?? '').search(/\bbreak\b/) + 1 };
    return {
      ...(at < 0 ? place : found),
      message: 'There is no loop around this break',
      suggestion: 'write return, or goto',
    };
  }
  const isAtEnd = /'<eof>'|<eof>/.test(message) || /^'end' expected/.test(message);
  const open = isAtEnd
    ? unclosedBlock(text)
    : /^'?\}'? expected/.test(message)
      ? null
      : unclosedBracket(text, line);
  if (open !== null) return neverClosed(open);
  return { ...place, ...inPlainWords(message, lines, line) };
}

function neverClosed({ line, column, word, closer }: OpenBlock): SyntaxProblem {
  return word === 'else if'
    ? {
        line,
        column,
        message: 'else if opens an if of its own, which is never closed',
        suggestion: 'write elseif',
      }
    : { line, column, message: `This ${word} is never closed`, suggestion: `add ${closer}` };
}

function inPlainWords(
  message: string,
  lines: readonly string[],
  line: number,
): Pick<SyntaxProblem, 'message' | 'suggestion'> {
  const expected = /^'?(.+?)'? expected near '(.*)'$/.exec(message);
  const found = /^unexpected \S+ '(.*)' near '(.*)'$/.exec(message);
  if (expected?.[1] === '<eof>' || found?.[1] === 'end')
    return {
      message: `There is nothing that this "${expected?.[2] ?? 'end'}" could close`,
      suggestion: 'remove it, or look for an end too many above',
    };
  if (expected !== null) {
    const [, wanted = '', near = ''] = expected;
    const isAtEnd = near === '<eof>';
    if (wanted === 'end' && lines.slice(0, line).some((each) => /^\s*return\b/.test(each)) && !isAtEnd)
      return {
        message: `Nothing may follow return: ${quoted(near)} stands behind it`,
        suggestion: 'write if … then return … end',
      };
    const comma = wanted === '}' ? 'put a comma between two items of a table' : null;
    return {
      message: `${quoted(wanted)} is missing before ${isAtEnd ? 'the end of the file' : quoted(near)}`,
      suggestion: comma ?? `write ${wanted}`,
    };
  }
  if (/^unfinished string/.test(message))
    return {
      message: 'This text has no closing quote',
      suggestion: 'close it in the same line, or write [[…]] for several lines',
    };
  if (/^malformed number/.test(message))
    return { message: 'This is no number', suggestion: 'write 10, 0.5, 1e3 or 0xff' };
  if (/^invalid escape/.test(message))
    return {
      message: "A text has a backslash that Lua doesn't know",
      suggestion: 'write \\\\ for a backslash, or [[…]]',
    };
  const label = /^no visible label '(.*)' for/.exec(message)?.[1];
  if (label !== undefined)
    return {
      message: `There is no label ${label} that this goto could reach`,
      suggestion: `write ::${label}:: in the same block, or around it`,
    };
  if (found !== null)
    return {
      message: `${found[1] === '<eof>' ? 'The file ends' : `${quoted(found[1] ?? '')} stands`} where it can't`,
      suggestion:
        'look at what stands before it: a bracket, an operator or an end is missing, or is one too many',
    };
  return { message: message.slice(0, 1).toUpperCase() + message.slice(1), suggestion: 'write it as Lua 5.3' };
}

function quoted(token: string): string {
  return `"${token}"`;
}

/** The line with what stands in quotes, and comments, blanked out: a hint must not be found there. */
function withoutTexts(line: string): string {
  return line
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (text) => `"${' '.repeat(text.length - 2)}"`)
    .replace(/--.+$/, '');
}

interface OpenBlock {
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
function unclosedBlock(text: string): OpenBlock | null {
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
function unclosedBracket(text: string, line: number): OpenBlock | null {
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
