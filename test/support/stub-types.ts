import type { StubFile } from './type-stub.js';

/** Types that the language server knows by itself. */
const known = [
  ...['any', 'boolean', 'false', 'function', 'integer', 'lightuserdata', 'nil', 'number', 'string', 'table'],
  ...['thread', 'true', 'unknown', 'userdata', 'fun'],
];

/** What an annotation says of types: `---@param name TYPE words`. Longer forms before shorter ones. */
const annotations = [
  /^---@param (?:\w+\??|\.\.\.) (.+)$/,
  /^---@field (?:\[\w+\]|\w+)\?? (.+)$/,
  /^---@(?:return|type|overload) (.+)$/,
  /^---@alias [\w.]+ (.+)$/,
  /^---@class [\w.]+: (.+)$/,
  /^---\| (.+)$/,
];

/** Types that are named in a file and declared in none. */
export function unknownTypes(files: readonly StubFile[]): string[] {
  const declared = new Set(known);
  for (const { text } of files)
    for (const [, name = ''] of text.matchAll(/^---@(?:class|alias) ([\w.]+)/gm)) declared.add(name);
  return files.flatMap(({ name: file, text }) => {
    let generics = new Set<string>();
    return text.split('\n').flatMap((line, index) => {
      if (!line.startsWith('---')) generics = new Set();
      const generic = /^---@generic (.+)$/.exec(line)?.[1];
      for (const each of generic?.split(', ') ?? []) generics.add(each.split(':')[0] ?? '');
      const text = annotations.map((pattern) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
      return namesIn(typeIn(text ?? ''))
        .filter((name) => !declared.has(name) && !generics.has(name))
        .map((name) => `types/${file}:${index + 1}: there is no type ${name}`);
    });
  });
}

/** The type at the beginning of a text: what is left are words about it. */
export function typeIn(text: string): string {
  let depth = 0;
  let quote = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '"') quote = !quote;
    if (quote) continue;
    if ('(<{['.includes(letter)) depth++;
    if (')>}]'.includes(letter)) depth--;
    // `fun(): T` goes on after its colon.
    if (letter === ' ' && depth === 0 && !/[:|,]$/.test(text.slice(0, at))) return text.slice(0, at);
  }
  return text;
}

function namesIn(type: string): string[] {
  const plain = type.replaceAll(/"[^"]*"/g, ' ').replaceAll(/\w+\??:\s/g, ' ');
  return [...plain.matchAll(/[A-Za-z_][\w.]*/g)].map(([name]) => name.replace(/\.+$/, ''));
}
