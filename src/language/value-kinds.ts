import { getOwn } from '../contract/json/json.js';
import { language } from './language.generated.js';
import { alternativesOf, type LuaType } from './type-notation.js';

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
