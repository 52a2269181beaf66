import type { JsonObject } from '../json/json.js';

/** Names that what a model writes may use beside its tools: they reach nothing outside of it. */
export const codeNames: readonly string[] = [
  ...[
    'assert',
    'error',
    'ipairs',
    'next',
    'pairs',
    'pcall',
    'select',
    'tonumber',
    'tostring',
    'type',
    'xpcall',
  ],
  ...['math', 'string', 'table', 'utf8'],
  ...['Json', 'Log', 'Parallel', 'print'],
];

/** What a model wrote over the tools of an agent. */
export interface WrittenCode {
  agent: string;
  /** The body of a function. */
  text: string;
}

/** A tool where it is named in what a model wrote. */
export interface CodeUse {
  tool: string;
  line: number;
  /** As they are written; null where some of them are computed, or where the tool isn't called but handed on. */
  args: JsonObject | null;
}

/** What can be said of what a model wrote before it is run. */
export interface CodeReview {
  /** Why it can't be run; empty: it can. */
  problems: { line: number; message: string }[];
  uses: CodeUse[];
  /** What it does, in Mermaid's language; '' where it can't be drawn. */
  graph: string;
}

/** The name of a tool as a variable of Lua: what stands in it that can't is `_`. */
export function codeName(tool: string): string {
  return tool.replace(/\W/g, '_').replace(/^(?=\d)/, '_');
}
