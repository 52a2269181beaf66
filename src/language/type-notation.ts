import { getOwn } from '../contract/json/json.js';
import { language } from './language.generated.js';

/** One alternative of a type. */
export type LuaType =
  | { kind: 'literal' }
  /** `string`, `any`, a class, an alias, or a parameter of a generic function. */
  | { kind: 'named'; name: string }
  | { kind: 'list'; item: string }
  | { kind: 'map' }
  | { kind: 'fields'; fields: { name: string; type: string; isOptional: boolean }[] }
  | { kind: 'function' };

/** Takes a type apart into its alternatives: `string|{ a: integer }[]` has two. */
export const alternativesOf: (text: string) => readonly LuaType[] = perText((text) =>
  splitOutside(text.replace(/\?$/, '|nil'), '|').map(readOne),
);

/** The types of the parameters of `fun(a: string, b?: integer): any`. */
export function parametersOf(text: string): { name: string; type: string; isOptional: boolean }[] {
  const list = /^fun\(/.test(text) ? text.slice(4, endOf(text, 3)) : '';
  return splitOutside(list, ',').map(readField);
}

function readOne(text: string): LuaType {
  if (text.startsWith('"')) return { kind: 'literal' };
  if (text.endsWith('[]')) return { kind: 'list', item: unwrap(text.slice(0, -2)) };
  if (text.startsWith('fun(') || text === 'function') return { kind: 'function' };
  if (text.startsWith('(')) return readOne(unwrap(text));
  if (text.startsWith('{'))
    return { kind: 'fields', fields: splitOutside(text.slice(1, -1).trim(), ',').map(readField) };
  if (text.startsWith('table<')) return { kind: 'map' };
  return { kind: 'named', name: text };
}

function readField(text: string): { name: string; type: string; isOptional: boolean } {
  const [, name = '', mark, type = 'any'] = /^(\w+|\.\.\.)(\??)(?:: (.+))?$/.exec(text) ?? [];
  return { name, type, isOptional: mark === '?' };
}

const unwrap = (text: string): string =>
  text.startsWith('(') && endOf(text, 0) === text.length - 1 ? text.slice(1, -1) : text;

/** Splits where the separator stands in no bracket and no quotes. What follows `fun(): ` belongs to the function. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if ('(<{['.includes(text.charAt(at))) at = endOf(text, at);
    else if (text.charAt(at) === '"') at = text.indexOf('"', at + 1);
    else if (text.charAt(at) === separator && !(separator === '|' && text.startsWith('fun(', start))) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()].filter((part) => part !== '');
}

/** Where the bracket that opens at a place is closed. */
function endOf(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if ('(<{['.includes(text.charAt(at))) depth++;
    if (')>}]'.includes(text.charAt(at)) && --depth === 0) return at;
  }
  return text.length;
}

/** Remembers what each text was read as. For texts of `types/` only: there are so many as it has declarations. */
export function perText<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found as T;
    const made = read(text);
    known.set(text, made);
    return made;
  };
}

/**
 * What a value may be: `text number integer boolean nil table list function duration handle any`, with `|` between. A
 * handle, such as an agent or a tool, is never written out.
 */
export type ValueKinds = string;

/** Classes whose values are handles: they are made by a call. */
const handle = 'userdata';

const plain: Readonly<Record<string, ValueKinds>> = {
  ...{ string: 'text', number: 'number', integer: 'integer', boolean: 'boolean', nil: 'nil' },
  ...{ true: 'boolean', false: 'boolean', table: 'table', thread: 'handle', userdata: 'handle' },
  'tactus.Duration': 'duration',
};

/** The kinds of a type that stands in a declaration. */
export function kindsOf(type: string, generics: readonly string[] = []): ValueKinds {
  const kinds = alternativesOf(type).flatMap((each) => kindsOfOne(each, generics).split('|'));
  return kinds.includes('any') ? 'any' : [...new Set(kinds)].join('|');
}

function kindsOfOne(type: LuaType, generics: readonly string[]): ValueKinds {
  if (type.kind === 'literal') return 'text';
  if (type.kind === 'list') return 'list';
  if (type.kind === 'function') return 'function';
  if (type.kind !== 'named') return 'table';
  if (generics.includes(type.name)) return 'any';
  const known = getOwn(plain, type.name);
  if (known !== undefined) return known;
  const alias = getOwn(language.aliases, type.name);
  if (alias !== undefined) return kindsOf(alias, generics);
  const found = getOwn(language.classes, type.name);
  if (found === undefined) return 'any';
  return found.parents.includes(handle) ? 'handle' : 'table';
}

/** Lua's own libraries take a number where they want text, and text with a number in it where it wants a number. */
export function withCoercions(kinds: ValueKinds): ValueKinds {
  const wide = kinds
    .split('|')
    .flatMap((kind) =>
      kind === 'text' ? ['text', 'number'] : /^(number|integer)$/.test(kind) ? [kind, 'text'] : [kind],
    );
  return [...new Set(wide)].join('|');
}
