import { getOwn } from '../contract/json/json.js';
import { type ClassDefinition, language } from './language.generated.js';
import {
  alternativesOf,
  kindsOf,
  type LuaType,
  parametersOf,
  perText,
  type ValueKinds,
  withCoercions,
} from './type-notation.js';

/** How a function is called. */
export interface Signature {
  parameters: readonly SignatureParameter[];
  /** Without so many arguments a call fails. */
  needed: number;
  /** What doesn't fit is taken, and without effect. */
  isLenient: boolean;
}

interface SignatureParameter {
  type: string;
  kinds: ValueKinds;
  isOptional: boolean;
}

/**
 * Of a function, or of a library that is called. What can be called in several ways takes at each place what any of them
 * takes there. null where it isn't known, as of names that declare and call alike: `Agent`.
 */
export function signatureOf(callee: string): Signature | null {
  const isDeclared = Object.hasOwn(language.functions, callee) || Object.hasOwn(language.values, callee);
  return isDeclared ? signatureOfDeclared(callee) : null;
}

const signatureOfDeclared = perText((callee): Signature | null => {
  const declared = getOwn(language.functions, callee);
  if (declared !== undefined) {
    const ways = [declared.parameters, ...declared.overloads.map(parametersOf)];
    const isLua = declared.place.file.startsWith('lua/');
    return {
      ...merged(ways.map((way) => signature(way, declared.generics, isLua))),
      isLenient: declared.isLenient,
    };
  }
  const value = getOwn(language.values, callee);
  const [call, ...others] =
    value === undefined ? [] : (getOwn(language.classes, value.type)?.overloads ?? []);
  return call === undefined || others.length > 0 ? null : signature(parametersOf(call), [], false);
});

function signature(
  given: readonly { name: string; type: string; isOptional: boolean }[],
  generics: readonly string[],
  coerces: boolean,
): Signature {
  const parameters = given
    .filter(({ name }) => name !== '...')
    .map(({ type, isOptional }) => {
      const kinds = coerces ? withCoercions(kindsOf(type, generics)) : kindsOf(type, generics);
      return { type, kinds, isOptional };
    });
  const needed = parameters.findLastIndex(({ isOptional }) => !isOptional) + 1;
  return { parameters, needed, isLenient: false };
}

function merged(ways: readonly Signature[]): Signature {
  const longest = Math.max(...ways.map(({ parameters }) => parameters.length));
  const parameters = Array.from({ length: longest }, (_, i): SignatureParameter => {
    const there = ways.flatMap((way) => way.parameters[i] ?? []);
    const kinds = [...new Set(there.flatMap((each) => each.kinds.split('|')))];
    return {
      type: [...new Set(there.map(({ type }) => type))].join('|'),
      kinds: kinds.includes('any') ? 'any' : kinds.join('|'),
      isOptional: there.length < ways.length || there.some(({ isOptional }) => isOptional),
    };
  });
  return { parameters, needed: Math.min(...ways.map(({ needed }) => needed)), isLenient: false };
}

/** A table as a declaration has it. */
export interface TableType {
  /** The type of each key. */
  keys: Readonly<Record<string, string>>;
  /** Of each group, one key must be there. */
  needs: readonly (readonly string[])[];
  /** It may have other keys. */
  isOpen: boolean;
  /** Values that don't fit are taken, and without effect. */
  isLenient: boolean;
}

/**
 * The table that a type stands for: of several, whatever one of them has. null where it is no table, or may have any
 * keys.
 */
export const tableTypeOf: (type: string) => TableType | null = perText((type) => {
  const alternatives = alternativesOf(type);
  if (alternatives.some(hasAnyKeys)) return null;
  const found = alternatives.flatMap((each) => tableOf(each) ?? []);
  const [only] = found;
  if (only === undefined) return null;
  if (found.length === 1) return only;
  return {
    keys: Object.assign({}, ...found.map(({ keys }) => keys)) as Record<string, string>,
    needs: [],
    isOpen: found.some(({ isOpen }) => isOpen),
    isLenient: found.some(({ isLenient }) => isLenient),
  };
});

/** The type of the items, where a type may be a list; else null. */
export function itemTypeOf(type: string): string | null {
  for (const each of alternativesOf(type)) {
    if (each.kind === 'list') return each.item;
    const alias = each.kind === 'named' ? getOwn(language.aliases, each.name) : undefined;
    const item = alias === undefined ? null : itemTypeOf(alias);
    if (item !== null) return item;
  }
  return null;
}

function hasAnyKeys(type: LuaType): boolean {
  if (type.kind !== 'named') return type.kind === 'map';
  const alias = getOwn(language.aliases, type.name);
  if (alias !== undefined) return alternativesOf(alias).some(hasAnyKeys);
  return type.name === 'any' || type.name === 'table';
}

function tableOf(type: LuaType): TableType | null {
  if (type.kind === 'fields') {
    const keys = Object.fromEntries(type.fields.map((field) => [field.name, field.type]));
    const needs = type.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => [name]);
    return { keys, needs, isOpen: false, isLenient: false };
  }
  if (type.kind !== 'named') return null;
  const alias = getOwn(language.aliases, type.name);
  if (alias !== undefined) return tableTypeOf(alias);
  const found = getOwn(language.classes, type.name);
  return found === undefined || found.parents.includes('userdata') ? null : tableOfClass(found);
}

function tableOfClass(found: ClassDefinition): TableType {
  const parents = found.parents.flatMap((name) => getOwn(language.classes, name) ?? []).map(tableOfClass);
  const own = Object.fromEntries(found.fields.map(({ name, type }) => [name, type]));
  const needed = found.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => [name]);
  return {
    keys: { ...(Object.assign({}, ...parents.map(({ keys }) => keys)) as Record<string, string>), ...own },
    // Which of several keys is needed is said of each class by itself.
    needs: [...needed, ...found.needs],
    isOpen: found.isOpen || parents.some(({ isOpen }) => isOpen),
    isLenient: found.isLenient,
  };
}
