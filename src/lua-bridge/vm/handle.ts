import {
  lauxlib,
  lua,
  pushText,
  setField,
  shareEntries,
  tableAt,
  toText,
  type CFunction,
  type LuaState,
} from './fengari.js';

/** What Lua sees of an object of ours: opaque, callable where `call` is given, with fields computed when they are read. */
export interface HandleType {
  name: string;
  /** Pushes the value of a field, and gives 1; 0 where there is no such field. */
  index: (L: LuaState, held: unknown, key: string) => number;
  /** Called with the handle at 1 and the arguments from 2. */
  call?: CFunction;
  newIndex?: (L: LuaState, held: unknown, key: string) => number;
  /** Pushes a table to iterate over. */
  pairs?: (L: LuaState) => void;
  /** Registry reference of the metatable that all handles of the type share; set by the first. */
  metatable?: number;
}

/** Pushes a full userdata: Lua can't look into it, copy it or change its metatable. */
export function pushHandle(L: LuaState, type: HandleType, held: unknown): void {
  const data = lua.lua_newuserdata(L, 0);
  data.type = type;
  data.held = held;
  type.metatable ??= newMetatable(L, type);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, type.metatable);
  lua.lua_setmetatable(L, -2);
}

function newMetatable(L: LuaState, { call, pairs }: HandleType): number {
  pushMetatable(L, 6, {
    __index: handleMetamethods.index,
    __newindex: handleMetamethods.newIndex,
    ...(call === undefined ? {} : { __call: handleMetamethods.call }),
    __tostring: handleMetamethods.toString,
    ...(pairs === undefined ? {} : { __pairs: handleMetamethods.pairs }),
  });
  return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
}

/** Those of all handles: each asks the handle for its type, so that all states have the same ones. */
const handleMetamethods = {
  index: (L: LuaState): number => {
    const { type, held } = typedHandle(L);
    return type.index(L, held, toText(L, 2) ?? '') || pushNil(L);
  },
  newIndex: (L: LuaState): number => {
    const { type, held } = typedHandle(L);
    const key = toText(L, 2) ?? '';
    if (type.newIndex !== undefined) return type.newIndex(L, held, key);
    pushText(L, `${type.name} is read-only: can't set ${key}`);
    return lua.lua_error(L);
  },
  call: (L: LuaState): number => typedHandle(L).type.call?.(L) ?? 0,
  toString: (L: LuaState): number => {
    pushText(L, typedHandle(L).type.name);
    return 1;
  },
  pairs: (L: LuaState): number => {
    lua.lua_pushcfunction(L, nextPair);
    typedHandle(L).type.pairs?.(L);
    lua.lua_pushnil(L);
    return 3;
  },
};

function nextPair(L: LuaState): number {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
  lua.lua_settop(L, 2);
  if (lua.lua_next(L, 1)) return 2;
  return pushNil(L);
}

/** The handle that a metamethod is called for. */
function typedHandle(L: LuaState): { type: HandleType; held: unknown } {
  const { type, held } = heldAt(L, 1) ?? { type: null, held: null };
  if (type === null) throw new Error('a metamethod of handles is called for something else');
  return { type, held };
}

/** Pushes a metatable that Lua can't get at, which all states of a worker share. */
export function pushMetatable(L: LuaState, size: number, metamethods: Record<string, CFunction>): void {
  lua.lua_createtable(L, 0, size);
  for (const [name, fn] of Object.entries(metamethods)) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  lua.lua_pushboolean(L, false);
  setField(L, -2, '__metatable');
  const table = tableAt(L, -1);
  if (table !== null) shareEntries(table, 'metatable', () => false);
}

interface Held {
  /** null: something else than a handle. */
  type: HandleType | null;
  held: unknown;
}

function heldAt(L: LuaState, index: number): Held | null {
  if (lua.lua_type(L, index) !== lua.LUA_TUSERDATA) return null;
  return lua.lua_touserdata(L, index) as Held | null;
}

/** The object behind the handle of this type at `index`, or null. */
export function handleAt(L: LuaState, index: number, type: HandleType): unknown {
  const found = heldAt(L, index);
  return found?.type === type ? found.held : null;
}

/** The type of the handle of ours at `index`, and the object behind it; null where there is none. */
export function typedHandleAt(L: LuaState, index: number): { type: HandleType; held: object } | null {
  const found = heldAt(L, index);
  return typeof found?.held === 'object' && found.held !== null && found.type !== null
    ? { type: found.type, held: found.held }
    : null;
}

/** The object behind any handle of ours at `index`. */
export function anyHandleAt(L: LuaState, index: number): unknown {
  return heldAt(L, index)?.held ?? null;
}

export function pushNil(L: LuaState): number {
  lua.lua_pushnil(L);
  return 1;
}
