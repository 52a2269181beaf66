import { TactusError } from '../../contract/errors.js';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  bytesOf,
  decodeUtf8,
  encodeUtf8,
  firstEntry,
  isIntegerValue,
  lua,
  lua_number2str,
  pushText,
  sizeOf,
  Table,
  valueAt,
  weighText,
  work,
  type LuaState,
  type TValue,
} from '../vm/fengari.js';

/**
 * Values cross between Lua and JSON by copy, with these rules (docs/values.md has them for authors):
 *  - a table whose keys are 1..n is an array; an empty table is `[]` (a schema that says object makes it `{}`);
 *  - any other table is an object: integer keys become their digits, so holes and mixed tables keep all they hold;
 *  - float and boolean keys, functions, threads, handles, cycles, NaN, infinities and text that isn't UTF-8 are refused;
 *  - an integral JSON number is an integer in Lua, up to 2^53; JSON null is nil.
 * No metamethod runs: what a table pretends to be is not looked at.
 */

/**
 * A number that is a float in Lua though it may be integral. JSON knows no such thing: only what becomes text in Lua, or
 * comes from it, tells them apart.
 */
export class Float {
  constructor(readonly value: number) {}
}

/** What converts a table and all that is in it. */
interface Conversion {
  /** The tables that the value is in. */
  above: Set<Table>;
  float: (value: number) => JsonValue;
  /** What a value costs, before its text is read; a key costs as much as its text. */
  onValue: () => void;
  onText: (bytes: number) => void;
  onKey: (bytes: number) => void;
}

const valueCost = 20;
/** What a value takes beside its text: a table may hold the same one many times over, and its copy doesn't. */
const valueBytes = 32;
/** How often the longest text a copy may be. */
const longestTexts = 2;
const defaultDepth = 100;
const tooDeep = 'is nested too deep';

export function toJson(L: LuaState, index: number, maxDepth = defaultDepth): JsonValue {
  return convertAt(L, (value) => value + 0, index, maxDepth);
}

/** The same with floats as `Float`. */
export function withFloats(L: LuaState, index: number): JsonValue {
  // eslint-disable-next-line no-restricted-syntax -- whoever asks for floats reads them with `instanceof Float`
  const float = (value: number): JsonValue => new Float(value) as unknown as JsonValue;
  return convertAt(L, float, index, defaultDepth);
}

/**
 * The same of a value that somebody looks at from outside: it costs the run nothing, and touches neither stack nor heap.
 * @returns null where the copy would take more than `maxBytes`
 * @throws TactusError value_not_json
 */
export function lookAt(value: TValue, maxBytes: number): { value: JsonValue } | null {
  let size = 0;
  const add = (bytes: number): void => {
    size += bytes;
    if (size > maxBytes) throw tooMuch;
  };
  const conversion: Conversion = {
    above: new Set(),
    float: (each) => each + 0,
    onValue: () => add(lookedBytes),
    onText: add,
    onKey: add,
  };
  try {
    return { value: convert(conversion, value, '', defaultDepth) };
  } catch (error) {
    if (error === tooMuch) return null;
    throw error;
  }
}

/** What a value takes beside its text, in JSON. */
const lookedBytes = 8;
const tooMuch = new Error('too much to look at');

function convertAt(L: LuaState, float: Conversion['float'], index: number, maxDepth: number): JsonValue {
  const value = valueAt(L, index);
  if (value === undefined) return null;
  const { maxString, meter } = L.l_G;
  let size = 0;
  /** Ends the run where the copy is too large to be held beside the values. */
  const grow = (bytes: number): void => {
    size += bytes;
    if (size > longestTexts * maxString) meter?.copyTooLarge(L);
  };
  const conversion: Conversion = {
    above: new Set(),
    float,
    onValue: () => {
      work(L, valueCost);
      grow(valueBytes);
    },
    onText: (bytes) => {
      work(L, bytes >> 3);
      grow(bytes);
    },
    onKey: (bytes) => {
      weighText(L, bytes);
      grow(bytes);
    },
  };
  return convert(conversion, value, '', maxDepth);
}

function refuse(path: string, problem: string): TactusError {
  return new TactusError(
    'value_not_json',
    `${path === '' ? 'the value' : path.replace(/^\./, '')} ${problem}`,
    { path },
  );
}

function convert(conversion: Conversion, value: TValue, path: string, depth: number): JsonValue {
  const { above, float } = conversion;
  conversion.onValue();
  const { value: held } = value;
  if (held === null || held === undefined) return null;
  if (typeof held === 'boolean') return held;
  if (typeof held === 'number') {
    if (!Number.isFinite(held))
      throw refuse(
        path,
        `is ${lua_number2str(held).replace('-nan', 'not a number (nan)')}, which JSON has no form for`,
      );
    return isIntegerValue(value) ? held : float(held);
  }
  if (held instanceof Table) {
    if (above.has(held)) throw refuse(path, 'contains itself');
    if (depth <= 0) throw refuse('', tooDeep);
    above.add(held);
    const converted = convertTable(conversion, held, path, depth);
    above.delete(held);
    return converted;
  }
  const bytes = bytesOf(value);
  if (bytes === null) throw refuse(path, `is a ${typeOf(value)}, which can't be kept or sent`);
  conversion.onText(bytes.length);
  const text = decodeUtf8(bytes);
  if (text === null) throw refuse(path, 'is not valid UTF-8 text');
  return text;
}

function convertTable(conversion: Conversion, table: Table, path: string, depth: number): JsonValue {
  const items = listOf(table);
  if (items !== null)
    return items.map((item, i) => convert(conversion, item, `${path}[${i + 1}]`, depth - 1));
  const object: JsonObject = {};
  for (let entry = firstEntry(table); entry !== undefined; entry = entry.n) {
    const key = keyText(conversion, entry.key, path);
    if (Object.hasOwn(object, key))
      throw refuse(path, `has the keys ${key} and "${key}", which JSON can't tell apart`);
    setOwn(object, key, convert(conversion, entry, `${path}.${key}`, depth - 1));
  }
  return object;
}

/** The values at 1..n where these are all the keys there are, else null. */
function listOf(table: Table): TValue[] | null {
  const items: TValue[] = [];
  const size = sizeOf(table);
  for (let i = 1; i <= size; i++) {
    const entry = table.strong.get(i);
    if (entry === undefined) return null;
    items.push(entry);
  }
  return items;
}

function keyText(conversion: Conversion, key: TValue, path: string): string {
  if (typeof key.value === 'number') {
    if (isIntegerValue(key)) return String(key.value);
    throw refuse(path, `has the key ${key.value}, and JSON keys are text`);
  }
  const bytes = bytesOf(key);
  conversion.onKey(bytes?.length ?? 0);
  const text = bytes === null ? null : decodeUtf8(bytes);
  if (text === null) throw refuse(path, 'has a key that is no text');
  return text;
}

function typeOf(value: TValue): string {
  const names: Record<number, string> = {
    [lua.LUA_TFUNCTION]: 'function',
    [lua.LUA_TUSERDATA]: 'handle',
    [lua.LUA_TTHREAD]: 'coroutine',
  };
  return names[value.type & 0x0f] ?? 'value';
}

/** Pushes a value as the one result of a function of Lua's. */
export function pushResult(L: LuaState, value: JsonValue): number {
  pushJson(L, value);
  return 1;
}

/**
 * Pushes a copy of the JSON value. Members of an object keep their order; a `null` member is simply not there.
 * @throws TactusError value_not_json where it is nested too deep
 */
export function pushJson(L: LuaState, value: JsonValue, depth = defaultDepth): void {
  work(L, valueCost);
  lua.lua_checkstack(L, 10);
  if (value === null) lua.lua_pushnil(L);
  else if (typeof value === 'boolean') lua.lua_pushboolean(L, value);
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) lua.lua_pushinteger(L, value + 0);
    else lua.lua_pushnumber(L, value);
  } else if (typeof value === 'string') pushText(L, value);
  else if (value instanceof Float) lua.lua_pushnumber(L, value.value);
  else if (depth <= 0) throw refuse('', tooDeep);
  else if (Array.isArray(value)) {
    lua.lua_createtable(L, value.length, 0);
    value.forEach((item, i) => {
      pushJson(L, item, depth - 1);
      lua.lua_rawseti(L, -2, i + 1);
    });
  } else {
    lua.lua_createtable(L, 0, 0);
    for (const key of Object.keys(value)) {
      const bytes = encodeUtf8(key);
      lua.lua_pushlstring(L, bytes, bytes.length);
      pushJson(L, value[key] ?? null, depth - 1);
      lua.lua_rawset(L, -3);
    }
  }
}
