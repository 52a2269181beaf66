import { TactusError } from '../../contract/errors.js';
import { canonicalJson, getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import type { Reducer } from '../../contract/sessions/session-content.js';

/** What a slice holds, each for itself: the same value may be there twice. */
export interface Item {
  value: JsonValue;
  bytes: number;
}

/** A slice of a session, with what it holds. */
export interface Slice {
  reducer: Reducer;
  /** Registry reference of the function of a reducer that is one. */
  body: number | null;
  items: Item[];
  type: string | null;
  /** Whether the file has named it; one that came with an earlier pass or a snapshot takes the reducer that it names first. */
  isDeclared: boolean;
}

export function isSameList(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, i) => item === other[i]);
}

export function sizeOf(items: readonly Item[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @throws TactusError lua_error where the item has no value in the field that tells items apart */
export function reduced(
  name: string,
  items: readonly Item[],
  reducer: Exclude<Reducer, { kind: 'append_all' }>,
  added: Item,
): Item[] {
  if (!('field' in reducer)) return [added];
  const { kind, field } = reducer;
  const keyOf = ({ value }: Item): string | null => {
    const key = isObject(value) ? (getOwn(value, field) ?? null) : null;
    return key === null ? null : canonicalJson(key);
  };
  const wanted = keyOf(added);
  if (wanted === null)
    throw new TactusError(
      'lua_error',
      `Session: an item of ${name} needs a value in the field ${field}, by which its reducer tells items apart`,
    );
  const others = items.filter((item) => keyOf(item) !== wanted);
  const at = kind === 'upsert_by' ? items.findIndex((item) => keyOf(item) === wanted) : -1;
  return at < 0 ? [...others, added] : [...others.slice(0, at), added, ...others.slice(at)];
}

export function reducerText(reducer: Reducer): string {
  if ('field' in reducer) return `{"${reducer.kind}", ${JSON.stringify(reducer.field)}}`;
  return reducer.kind === 'function' ? 'a function' : `"${reducer.kind}"`;
}
