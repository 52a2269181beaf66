import { getOwn } from '../contract/json/json.js';
import { language, type ClassDefinition } from './language.generated.js';
import { alternativesOf, perText, type LuaType } from './type-notation.js';

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
