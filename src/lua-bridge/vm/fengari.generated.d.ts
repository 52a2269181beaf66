/** The part of fengari's API that the bridge uses. Strings are bytes; stack indices are Lua's (1-based, negative from the top). */
export type LuaString = Uint8Array;
export type CFunction = (L: LuaState) => number;
export type Continuation<T> = (L: LuaState, status: number, context: T) => number;

export interface Meter {
  /** Asked when the slice is used up. True: the thread yields here (only where `suspendable`). */
  outOfFuel(L: LuaState, suspendable: boolean): boolean;
  outOfHeap(L: LuaState, bytes: number): void;
  stringTooLong(L: LuaState, bytes: number): void;
  /** The copy of a table, as JSON, would be too large. */
  copyTooLarge(L: LuaState): void;
}

export interface GlobalState {
  /** Work is charged by the size of what it reads and makes: `charge-by-size` in src/contract/engine.ts. */
  weighs: boolean;
  /** What the official tests of Lua look at is as they have it: `lua-conformance` in src/contract/engine.ts. */
  conforms: boolean;
  /** A power of 1 is 1: `powers-of-one` in src/contract/engine.ts. */
  powersOfOne: boolean;
  fuel: number;
  fuelLimit: number;
  fuelFloor: number;
  heap: number;
  id_counter: number;
  maxString: number;
  meter: Meter | null;
  /** Whatever runs the state, for functions that are the same in all states. */
  host: unknown;
  running: LuaState | null;
  mainthread: LuaState;
  l_registry: TValue;
}

export interface TValue {
  type: number;
  value: unknown;
}

export interface CallInfo {
  funcOff: number;
  previous: CallInfo | null;
  callstatus: number;
}

export interface LuaState {
  l_G: GlobalState;
  stack: (TValue | undefined)[];
  top: number;
  nny: number;
  status: number;
  ci: CallInfo;
  frame: unknown;
  isTask: boolean;
  resumer: LuaState | null;
  blocked: boolean;
}

/** Is its own value. */
export interface TableEntry extends TValue {
  /** Made anew by each look. */
  readonly key: TValue;
  readonly keyvalue: unknown;
  p: TableEntry | undefined;
  n: TableEntry | undefined;
}

export class Table {
  private constructor();
  sealed: string | null;
  own: ReadonlySet<unknown> | null;
  metatable: Table | null;
  /** The entries by the hashes of their keys, but for those of the template that no copy is made of yet. */
  strong: Map<unknown, TableEntry>;
  /** What it shares with tables of other states, in order; an entry of its own stands where null does. */
  template: ReadonlyMap<unknown, TableEntry | null> | null;
  /** How long it is, if it is known to be a list; else -1. */
  listed: number;
  /** First and last of its entries; with a template, of those that were added. */
  f: TableEntry | undefined;
  l: TableEntry | undefined;
}

/** What all tables without an entry have. Not to be written to. */
export const EMPTY: Map<unknown, TableEntry>;

/** `x ^ y`, as the engine of the state has it. */
export function power(L: LuaState, x: number, y: number): number;

/** Gives the table all entries of its template. */
export function unfold(table: Table): void;

/** What is behind a full userdata. */
export interface UserData {
  type: unknown;
  held: unknown;
}

export interface DebugInfo {
  currentline: number;
  short_src: LuaString;
  source: LuaString;
  what: LuaString;
  name: LuaString | null;
  namewhat: LuaString;
  linedefined: number;
}

export interface LuaApi {
  readonly LUA_OK: 0;
  readonly LUA_YIELD: 1;
  readonly LUA_MULTRET: -1;
  readonly LUA_REGISTRYINDEX: number;
  readonly LUA_OPADD: 0;
  readonly LUA_TNONE: -1;
  readonly LUA_TNIL: 0;
  readonly LUA_TBOOLEAN: 1;
  readonly LUA_TLIGHTUSERDATA: 2;
  readonly LUA_TNUMBER: 3;
  readonly LUA_TSTRING: 4;
  readonly LUA_TTABLE: 5;
  readonly LUA_TFUNCTION: 6;
  readonly LUA_TUSERDATA: 7;
  readonly LUA_TTHREAD: 8;
  lua_Debug: new () => DebugInfo;
  lua_absindex(L: LuaState, index: number): number;
  lua_arith(L: LuaState, operation: number): void;
  lua_checkstack(L: LuaState, n: number): boolean;
  lua_concat(L: LuaState, n: number): void;
  lua_createtable(L: LuaState, narray: number, nrec: number): void;
  lua_error(L: LuaState): never;
  lua_getfield(L: LuaState, index: number, key: LuaString): number;
  lua_getinfo(L: LuaState, what: LuaString, ar: DebugInfo): number;
  lua_getmetatable(L: LuaState, index: number): boolean;
  lua_getstack(L: LuaState, level: number, ar: DebugInfo): number;
  lua_gettop(L: LuaState): number;
  lua_insert(L: LuaState, index: number): void;
  lua_isinteger(L: LuaState, index: number): boolean;
  lua_isnil(L: LuaState, index: number): boolean;
  lua_isnoneornil(L: LuaState, index: number): boolean;
  lua_isyieldable(L: LuaState): boolean;
  lua_next(L: LuaState, index: number): number;
  lua_newthread(L: LuaState): LuaState;
  lua_newuserdata(L: LuaState, size: number): UserData;
  lua_pcallk<T>(
    L: LuaState,
    nargs: number,
    nresults: number,
    handler: number,
    context: T,
    k: Continuation<T>,
  ): number;
  lua_pop(L: LuaState, n: number): void;
  lua_pushboolean(L: LuaState, value: boolean | number): void;
  lua_pushcclosure(L: LuaState, fn: CFunction, upvalues: number): void;
  lua_pushcfunction(L: LuaState, fn: CFunction): void;
  lua_pushinteger(L: LuaState, value: number): void;
  lua_pushglobaltable(L: LuaState): void;
  lua_pushlstring(L: LuaState, bytes: LuaString, length: number): void;
  lua_pushfstring(L: LuaState, format: LuaString, ...args: unknown[]): LuaString;
  lua_pushnil(L: LuaState): void;
  lua_pushnumber(L: LuaState, value: number): void;
  lua_pushstring(L: LuaState, bytes: LuaString): void;
  lua_pushthread(L: LuaState): boolean;
  lua_pushvalue(L: LuaState, index: number): void;
  lua_rawequal(L: LuaState, a: number, b: number): number;
  lua_rawget(L: LuaState, index: number): number;
  lua_rawgeti(L: LuaState, index: number, key: number): number;
  lua_rawset(L: LuaState, index: number): void;
  lua_rawseti(L: LuaState, index: number, key: number): void;
  lua_remove(L: LuaState, index: number): void;
  lua_replace(L: LuaState, index: number): void;
  lua_resume(L: LuaState, from: LuaState | null, nargs: number): number;
  lua_setfield(L: LuaState, index: number, key: LuaString): void;
  lua_setglobal(L: LuaState, key: LuaString): void;
  lua_setmetatable(L: LuaState, index: number): boolean;
  lua_settop(L: LuaState, index: number): void;
  lua_setupvalue(L: LuaState, index: number, n: number): LuaString | null;
  lua_status(L: LuaState): number;
  lua_toboolean(L: LuaState, index: number): boolean;
  lua_tointeger(L: LuaState, index: number): number;
  lua_tonumber(L: LuaState, index: number): number;
  lua_topointer(L: LuaState, index: number): unknown;
  lua_tothread(L: LuaState, index: number): LuaState | null;
  lua_tostring(L: LuaState, index: number): LuaString | null;
  lua_touserdata(L: LuaState, index: number): UserData | null;
  lua_type(L: LuaState, index: number): number;
  lua_typename(L: LuaState, type: number): LuaString;
  lua_upvalueindex(n: number): number;
  lua_xmove(from: LuaState, to: LuaState, n: number): void;
  lua_yieldk<T>(L: LuaState, nresults: number, context: T, k: Continuation<T> | null): number;
}

export interface LauxLib {
  luaL_argerror(L: LuaState, arg: number, message: LuaString): never;
  luaL_checkany(L: LuaState, arg: number): void;
  luaL_checkinteger(L: LuaState, arg: number): number;
  luaL_checknumber(L: LuaState, arg: number): number;
  luaL_checkstring(L: LuaState, arg: number): LuaString;
  luaL_checktype(L: LuaState, arg: number, type: number): void;
  luaL_error(L: LuaState, format: LuaString, ...args: unknown[]): never;
  luaL_getmetafield(L: LuaState, index: number, key: LuaString): number;
  luaL_loadbufferx(L: LuaState, bytes: LuaString, size: number, name: LuaString, mode: LuaString): number;
  luaL_newstate(): LuaState;
  luaL_optinteger(L: LuaState, arg: number, fallback: number): number;
  luaL_ref(L: LuaState, table: number): number;
  luaL_requiref(L: LuaState, name: LuaString, open: CFunction, global: number): void;
  luaL_tolstring(L: LuaState, index: number): LuaString;
  luaL_typename(L: LuaState, index: number): LuaString;
  luaL_unref(L: LuaState, table: number, ref: number): void;
  luaL_where(L: LuaState, level: number): void;
}

export const lua: LuaApi;
export const lauxlib: LauxLib;
export function to_luastring(text: string, cache?: boolean): LuaString;
/** Marks bytes that are never written to: strings made of them are no copies, in whatever state. Does nothing to long ones. */
export function share(bytes: LuaString): LuaString;
export const luaopen_base: CFunction;
export const luaopen_string: CFunction;
export const luaopen_table: CFunction;
export const luaopen_math: CFunction;
export const luaopen_utf8: CFunction;
/** As `tostring` prints a float, without the `.0`. */
export function lua_number2str(value: number): string;
/** Charges work that is done outside of the instruction loop. */
export function work(L: LuaState, units: number): void;
/** Charges for the length of what is read or made; nothing where the global state doesn't weigh. */
export function weigh(L: LuaState, units: number): void;
/** The same for a text that is gone through; a short one costs nothing. */
export function weighText(L: LuaState, length: number): void;
export function charge(L: LuaState, bytes: number): void;
export function checkString(L: LuaState, bytes: number): void;
