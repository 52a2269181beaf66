import {
  bytesOf,
  decodeUtf8,
  globalsOf,
  lauxlib,
  literal,
  lua,
  pushField,
  pushText,
  raise,
  setField,
  toText,
  weigh,
  type CFunction,
  type LuaState,
  type TValue,
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

const heldKey = 'held';

/** Pushes a full userdata: Lua can't look into it, copy it or change its metatable. */
export function pushHandle(L: LuaState, type: HandleType, held: unknown): void {
  const data = lua.lua_newuserdata(L, 0);
  data[heldKey] = { type, held };
  type.metatable ??= newMetatable(L, type);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, type.metatable);
  lua.lua_setmetatable(L, -2);
}

function newMetatable(L: LuaState, type: HandleType): number {
  lua.lua_createtable(L, 0, 6);
  const metamethods: Record<string, CFunction | undefined> = {
    __index: (thread) =>
      type.index(thread, handleAt(thread, 1, type), toText(thread, 2) ?? '') || pushNil(thread),
    __newindex: (thread) => {
      const key = toText(thread, 2) ?? '';
      if (type.newIndex !== undefined) return type.newIndex(thread, handleAt(thread, 1, type), key);
      pushText(thread, `${type.name} is read-only: can't set ${key}`);
      return lua.lua_error(thread);
    },
    __call: type.call,
    __tostring: (thread) => {
      pushText(thread, type.name);
      return 1;
    },
    ...(type.pairs === undefined ? {} : { __pairs: pairsOver(type.pairs) }),
  };
  for (const [name, fn] of Object.entries(metamethods)) {
    if (fn === undefined) continue;
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  lua.lua_pushboolean(L, false);
  setField(L, -2, '__metatable');
  return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
}

interface Held {
  /** null: a library. */
  type: HandleType | null;
  held: unknown;
}

function heldAt(L: LuaState, index: number): Held | undefined {
  if (lua.lua_type(L, index) !== lua.LUA_TUSERDATA) return undefined;
  return lua.lua_touserdata(L, index)?.[heldKey] as Held | undefined;
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

function pushNil(L: LuaState): number {
  lua.lua_pushnil(L);
  return 1;
}

function pairsOver(pushTable: (L: LuaState) => void): CFunction {
  return (L) => {
    lua.lua_pushcfunction(L, (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      lua.lua_settop(thread, 2);
      if (lua.lua_next(thread, 1)) return 2;
      return pushNil(thread);
    });
    pushTable(L);
    lua.lua_pushnil(L);
    return 3;
  };
}

interface Library {
  name: string;
  make: () => Record<string, CFunction>;
  /** null: nobody has asked for one. */
  functions: Record<string, CFunction> | null;
  call: CFunction | undefined;
  isReplaceable: boolean;
}

interface LibraryOptions {
  call?: CFunction;
  /** An agent or a procedure of the same name takes its place: files used the name before there was the library. */
  isReplaceable?: boolean;
}

/** What all libraries of a state share: a metatable each would take most of the memory of a small run. */
const librariesKey = 'libraries';

/** For libraries of two names that have the same functions: they are made once. */
export function madeOnce(make: () => Record<string, CFunction>): () => Record<string, CFunction> {
  let made: Record<string, CFunction> | null = null;
  return () => (made ??= make());
}

/**
 * Sets a global to a library of functions that Lua can't change.
 * @param make is called when the first of them is asked for: a run that waits need not hold those of libraries that it doesn't use. It
 *   makes functions alone and touches no Lua state, so that nobody can tell when it is called
 */
export function setLibrary(
  L: LuaState,
  name: string,
  make: () => Record<string, CFunction>,
  options: CFunction | LibraryOptions = {},
): void {
  const { call, isReplaceable = false } = typeof options === 'function' ? { call: options } : options;
  const library: Library = { name, make, functions: null, call, isReplaceable };
  const data = lua.lua_newuserdata(L, 0);
  data[heldKey] = { type: null, held: library };
  if (pushField(L, lua.LUA_REGISTRYINDEX, librariesKey) === lua.LUA_TNIL) {
    lua.lua_pop(L, 1);
    pushLibraryMetatable(L);
    lua.lua_pushvalue(L, -1);
    setField(L, lua.LUA_REGISTRYINDEX, librariesKey);
  }
  lua.lua_setmetatable(L, -2);
  lua.lua_setglobal(L, literal(name));
}

function pushLibraryMetatable(L: LuaState): void {
  const libraryAt = (thread: LuaState): Library => anyHandleAt(thread, 1) as Library;
  const metamethods: Record<string, CFunction> = {
    __index: (thread) => {
      const library = libraryAt(thread);
      const functions = (library.functions ??= library.make());
      const key = toText(thread, 2) ?? '';
      const fn = Object.hasOwn(functions, key) ? functions[key] : undefined;
      if (fn === undefined) return pushNil(thread);
      lua.lua_pushcfunction(thread, fn);
      return 1;
    },
    __newindex: (thread) => {
      pushText(thread, `${libraryAt(thread).name} is read-only: can't set ${toText(thread, 2) ?? ''}`);
      return lua.lua_error(thread);
    },
    __call: (thread) => {
      const { name, call } = libraryAt(thread);
      if (call !== undefined) return call(thread);
      return raise(thread, `attempt to call a userdata value (global '${name}')`);
    },
    __tostring: (thread) => {
      pushText(thread, libraryAt(thread).name);
      return 1;
    },
  };
  lua.lua_createtable(L, 0, 5);
  for (const [name, fn] of Object.entries(metamethods)) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  lua.lua_pushboolean(L, false);
  setField(L, -2, '__metatable');
}

/** The global variable that holds the handle with this object, or null. */
export function globalNameOf(L: LuaState, held: unknown): string | null {
  lua.lua_checkstack(L, 4);
  weigh(L, globalsOf(L).strong.size >> 2);
  return seenNameOf(L, held);
}

/** The same for who looks from outside: it costs the run nothing, and touches no stack. */
export function seenNameOf(L: LuaState, held: unknown): string | null {
  for (let entry = globalsOf(L).f; entry !== undefined; entry = entry.n) {
    const bytes = bytesOf(entry.key);
    const name = bytes !== null && heldBy(entry) === held ? decodeUtf8(bytes) : null;
    if (name !== null) return name;
  }
  return null;
}

function heldBy({ type, value }: TValue): unknown {
  if (type !== lua.LUA_TUSERDATA) return undefined;
  const { data } = value as { data: Record<string, { held: unknown } | undefined> };
  return data[heldKey]?.held;
}

/** `Agent "x" {…}` and `Procedure "x" {…}` make the global `x`: sets it to the handle on top of the stack, unless it is taken. */
export function setOwnGlobal(L: LuaState, name: string): void {
  const handle = lua.lua_absindex(L, -1);
  lua.lua_pushglobaltable(L);
  if (pushField(L, -1, name) === lua.LUA_TNIL || isReplaceableAt(L, -1)) {
    lua.lua_pushvalue(L, handle);
    setField(L, -3, name);
  }
  lua.lua_pop(L, 2);
}

function isReplaceableAt(L: LuaState, index: number): boolean {
  const found = heldAt(L, index);
  return found?.type === null && (found.held as Library).isReplaceable;
}

/**
 * `agent("greeter", {…})` makes the global `Greeter` in the 0.10 dialect, and `model` likewise. Sets it to the handle on
 * top of the stack, unless the file has something of that name.
 */
export function setOlderGlobal(L: LuaState, name: string): void {
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  const pascal = name.split('_').map(capital).join('');
  // `Contact_formatter` is what that dialect makes of contact_formatter; its examples write `ContactFormatter` as well.
  for (const global of [capital(name), capital(name.toLowerCase()), pascal]) setOwnGlobal(L, global);
}
