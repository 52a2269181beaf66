import { typeIn } from '../../scripts/build/read-declarations.mjs';
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

function namesIn(type: string): string[] {
  const plain = type.replaceAll(/"[^"]*"/g, ' ').replaceAll(/\w+\??:\s/g, ' ');
  return [...plain.matchAll(/[A-Za-z_][\w.]*/g)].map(([name]) => name.replace(/\.+$/, ''));
}
