import type { JsonValue } from '../../contract/json/json.js';
import {
  bytesOf,
  decodeUtf8,
  firstEntry,
  isIntegerValue,
  lua,
  pushText,
  seal,
  Table,
  work,
  type LuaState,
  type TValue,
} from '../vm/fengari.js';

/**
 * Lua values as JSON that gives the very same values again: integers and floats apart, text of any bytes, tables with any
 * keys and in their order. Null, booleans, UTF-8 text, and numbers that JSON tells apart stand for themselves, and so does a
 * table whose keys are 1..n, in order. The others:
 *
 *  - `{"f": "1"}`: a float, as `String` has it: `1`, `-0`, `NaN`, `Infinity`
 *  - `{"b": [255]}`: text that isn't UTF-8
 *  - `{"t": [[key, value], …]}`: any other table; with `"s": "…"` a read-only one, and what a change of it is told
 *
 * What has no such form: functions, handles, coroutines, tables with metatables, and a table that is there twice.
 */
export type ExactValue = JsonValue;

/** Why a value has no such form. */
export class NoExactForm extends Error {}

const valueCost = 20;
const deepest = 100;

/** @throws NoExactForm saying which value, and why */
export function toExact(L: LuaState, value: TValue): ExactValue {
  return convert(L, value, new Set(), '', deepest);
}

function convert(
  L: LuaState,
  value: TValue | undefined,
  seen: Set<Table>,
  path: string,
  depth: number,
): ExactValue {
  work(L, valueCost);
  const held = value?.value;
  if (value === undefined || held === null || held === undefined) return null;
  if (typeof held === 'boolean') return held;
  if (typeof held === 'number') {
    if (isIntegerValue(value) || (!Number.isInteger(held) && Number.isFinite(held))) return held;
    return { f: Object.is(held, -0) ? '-0' : String(held) };
  }
  if (held instanceof Table) {
    if (seen.has(held)) throw new NoExactForm(`${path} is a table that is there twice`);
    if (depth <= 0) throw new NoExactForm(`${path} is nested too deep`);
    if (held.metatable !== null) throw new NoExactForm(`${path} has a metatable`);
    seen.add(held);
    return convertTable(L, held, seen, path, depth);
  }
  const bytes = bytesOf(value);
  if (bytes === null) throw new NoExactForm(`${path} is a function, a handle or a coroutine`);
  work(L, bytes.length >> 3);
  return decodeUtf8(bytes) ?? { b: [...bytes] };
}

function convertTable(L: LuaState, table: Table, seen: Set<Table>, path: string, depth: number): ExactValue {
  const pairs: [ExactValue, ExactValue][] = [];
  let isList = true;
  for (let entry = firstEntry(table); entry !== undefined; entry = entry.n) {
    const key = convert(L, entry.key, seen, path, depth - 1);
    const name = typeof key === 'string' ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    pairs.push([key, convert(L, entry, seen, name, depth - 1)]);
    isList &&= key === pairs.length;
  }
  if (table.sealed !== null) return { t: pairs, s: table.sealed };
  return isList ? pairs.map(([, value]) => value) : { t: pairs };
}

/** Pushes the value again. */
export function pushExact(L: LuaState, exact: ExactValue): void {
  work(L, valueCost);
  lua.lua_checkstack(L, 6);
  if (exact === null) lua.lua_pushnil(L);
  else if (typeof exact === 'boolean') lua.lua_pushboolean(L, exact);
  else if (typeof exact === 'number') {
    if (Number.isInteger(exact)) lua.lua_pushinteger(L, exact);
    else lua.lua_pushnumber(L, exact);
  } else if (typeof exact === 'string') pushText(L, exact);
  else if (Array.isArray(exact))
    pushPairs(
      L,
      exact.map((value, i) => [i + 1, value]),
    );
  else if ('f' in exact) lua.lua_pushnumber(L, Number(exact['f']));
  else if ('b' in exact) {
    const bytes = Uint8Array.from(exact['b'] as number[]);
    lua.lua_pushlstring(L, bytes, bytes.length);
  } else {
    pushPairs(L, exact['t'] as [ExactValue, ExactValue][]);
    if (typeof exact['s'] === 'string') seal(L, exact['s']);
  }
}

function pushPairs(L: LuaState, pairs: readonly (readonly [ExactValue, ExactValue])[]): void {
  lua.lua_createtable(L, 0, 0);
  for (const [key, value] of pairs) {
    pushExact(L, key);
    pushExact(L, value);
    lua.lua_rawset(L, -3);
  }
}
