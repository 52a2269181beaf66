import { getOwn } from '../../contract/json/json.js';
import { language } from '../../language/language.generated.js';
import { signatureOf, tableTypeOf } from '../../language/signature.js';
import { surface } from '../../language/surface.js';
import { configClasses, kindOfCallee } from '../../validation/program/declared.js';

export interface Completion {
  label: string;
  kind: 'function' | 'variable' | 'property' | 'keyword';
  /** Of a key, its type. */
  detail: string;
  /** What the declarations say of it; '': nothing. */
  info: string;
}

export interface Completions {
  /** Where the word begins that they complete. */
  from: number;
  options: Completion[];
}

const keywords = [
  ...['and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'if', 'in'],
  ...['local', 'nil', 'not', 'or', 'repeat', 'return', 'then', 'true', 'until', 'while'],
];

/** What the declarations in `types/` offer at a place of a file; null: nothing, as in a text or a comment. */
export function completionsAt(text: string, at: number): Completions | null {
  const before = text.slice(0, at);
  const code = withoutTexts(before);
  if (code === null) return null;
  const [, library, word = ''] = /(?:([A-Za-z_]\w*)\.)?([A-Za-z_]\w*)?$/.exec(code) ?? [];
  const from = at - word.length;
  if (library !== undefined) {
    const members = getOwn(surface, library) ?? [];
    return offered(
      from,
      members.map((member) => declared(`${library}.${member}`, member)),
    );
  }
  const keys = keysAt(code.slice(0, code.length - word.length));
  if (keys !== null) return offered(from, keys);
  if (word === '') return null;
  const names = Object.keys(surface).filter((name) => name !== '_ENV');
  const own = [
    ...new Set(
      Array.from(
        text.matchAll(/\b(?:local\s+|function\s+)?([A-Za-z_]\w*)\s*=|\blocal\s+([A-Za-z_]\w*)/g),
        (match) => match[1] ?? match[2] ?? '',
      ),
    ),
  ];
  return offered(from, [
    ...names.map((name) => declared(name, name)),
    ...own
      .filter((name) => name !== word && !names.includes(name))
      .map((label): Completion => ({ label, kind: 'variable', detail: '', info: '' })),
    ...keywords.map((label): Completion => ({ label, kind: 'keyword', detail: '', info: '' })),
  ]);
}

function offered(from: number, options: Completion[]): Completions | null {
  return options.length === 0 ? null : { from, options };
}

function declared(name: string, label: string): Completion {
  const fn = getOwn(language.functions, name);
  const value = getOwn(language.values, name);
  return {
    label,
    kind: fn === undefined ? 'variable' : 'function',
    detail: '',
    info: (fn ?? value)?.doc ?? '',
  };
}

/** Code with texts and comments emptied, in as many characters; null where it ends within one. */
function withoutTexts(code: string): string | null {
  const pattern =
    /--\[(=*)\[[^]*?(?:\]\1\]|$)|\[(=*)\[[^]*?(?:\]\2\]|$)|--[^\n]*|"(?:[^"\\\n]|\\[^])*(?:"|$|(?=\n))|'(?:[^'\\\n]|\\[^])*(?:'|$|(?=\n))/g;
  for (const match of code.matchAll(pattern)) {
    const [found] = match;
    const isOpen = match.index + found.length === code.length && !isClosed(found);
    if (isOpen) return null;
  }
  return code.replaceAll(pattern, (found) => ' '.repeat(found.length));
}

function isClosed(found: string): boolean {
  if (/^(--)?\[=*\[/.test(found)) return /\]=*\]$/.test(found);
  return !found.startsWith('--') && found.length > 1 && found.at(-1) === found[0];
}

/** Keys of the table that a place is in, where one may begin there; null: it isn't in a known one. */
function keysAt(code: string): Completion[] | null {
  if (!/[{,;]\s*$/.test(code)) return null;
  const open = innermost(code);
  if (open === null) return null;
  const [, callee] = /([A-Za-z_][\w.]*)\s*\(?\s*$/.exec(code.slice(0, open)) ?? [];
  if (callee === undefined) return null;
  const keys = Object.entries(typesOfKeys(callee));
  return keys.length === 0
    ? null
    : keys.map(([label, detail]) => ({ label, kind: 'property', detail, info: '' }));
}

function typesOfKeys(callee: string): Readonly<Record<string, string>> {
  const kind = kindOfCallee(callee);
  if (kind !== null) return tableTypeOf(configClasses[kind])?.keys ?? {};
  if (/^field\.\w+$/.test(callee)) return tableTypeOf('tactus.FieldOptions')?.keys ?? {};
  const tables = signatureOf(callee)?.parameters.map(({ type }) => tableTypeOf(type)?.keys ?? {}) ?? [];
  return Object.assign({}, ...tables) as Record<string, string>;
}

/** Where the innermost table begins that has not ended; null: there is none, or a function or a call is within it. */
function innermost(code: string): number | null {
  let depth = 0;
  for (let at = code.length - 1; at >= 0; at--) {
    const letter = code.charAt(at);
    if ('})]'.includes(letter)) depth++;
    else if ('{(['.includes(letter) && depth-- === 0) return letter === '{' ? at : null;
  }
  return null;
}
