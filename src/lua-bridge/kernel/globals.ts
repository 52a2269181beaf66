/**
 * What a file finds among its global variables: libraries and functions that are made for a run when it first uses them, so that
 * one that waits holds nothing of those that it doesn't use. Until then all runs of a worker share what stands for them.
 */
import type { Bridge } from './bridge.js';
import { PerRun } from './kept.js';
import {
  bytesOf,
  decodeUtf8,
  entriesOf,
  globalsOf,
  literal,
  lua,
  pushField,
  pushText,
  raise,
  setField,
  shareEntries,
  sizeOf,
  toText,
  weigh,
  type CFunction,
  type LuaState,
  type TValue,
  type UserData,
} from '../vm/fengari.js';
import { anyHandleAt, pushMetatable, pushNil } from '../vm/handle.js';

type Functions = Record<string, CFunction>;

/** The bridge of the run whose state it is. */
export function bridgeOf(L: LuaState): Bridge {
  return L.l_G.host as Bridge;
}

/** Names of the global functions that are the same in all states: those of Lua's own, and all that `GlobalFunctions` has. */
const sharedNames = new Set(
  `assert collectgarbage error getmetatable ipairs join next pairs pcall rawequal rawget rawlen rawset select setmetatable split
  tonumber tostring type utf8_clean xpcall`.split(/\s+/),
);

/** Call when the state has all its globals, and before the file has any. */
export function shareGlobals({ L }: Bridge): void {
  shareEntries(globalsOf(L), 'globals', (name) => !sharedNames.has(name));
}

/**
 * Global functions that a room makes together. They make nothing else and touch no Lua state until they are called, so that nobody
 * can tell when they are made.
 */
export class GlobalFunctions<Name extends string> {
  private readonly made: PerRun<Record<Name, CFunction>>;
  private readonly standIns: ReadonlyMap<Name, CFunction>;

  /**
   * @param names in the order in which Lua has them
   * @param others further names of some of them, which come last
   */
  constructor(
    names: readonly Name[],
    make: (bridge: Bridge) => Record<Name, CFunction>,
    private readonly others: Readonly<Record<string, Name>> = {},
  ) {
    this.made = new PerRun(make, 'declared');
    this.standIns = new Map(names.map((name) => [name, (L) => this.made.of(bridgeOf(L))[name](L)]));
    for (const name of [...names, ...Object.keys(others)]) sharedNames.add(name);
  }

  open({ L }: Bridge): void {
    const others = Object.entries(this.others).map(([other, name]) => [other, this.standIn(name)] as const);
    for (const [name, standIn] of [...this.standIns, ...others]) {
      lua.lua_pushcfunction(L, standIn);
      lua.lua_setglobal(L, literal(name));
    }
  }

  /** What Lua has under the name. */
  standIn(name: Name): CFunction {
    const standIn = this.standIns.get(name);
    if (standIn === undefined) throw new Error(`${name} is none of these functions`);
    return standIn;
  }
}

interface LibraryOptions {
  /** What a call of the library does; its arguments begin at 2. */
  call?: (bridge: Bridge) => CFunction;
  /** An agent or a procedure of the same name takes its place: files used the name before there was the library. */
  isReplaceable?: boolean;
}

/** What all libraries of a state share: a metatable each would take most of the memory of a small run. */
const librariesKey = 'libraries';

/**
 * A global that is a library of functions, which Lua can't change. One that needs nothing but the bridge is there once for all runs.
 *
 * Its functions are made when the first of them is asked for. Making them touches no Lua state, so that nobody can tell when that is.
 */
export class Library {
  readonly functions: PerRun<Functions>;
  readonly call: LibraryOptions['call'];
  readonly isReplaceable: boolean;

  constructor(
    readonly name: string,
    make: (bridge: Bridge) => Functions,
    { call, isReplaceable = false }: LibraryOptions = {},
  ) {
    this.functions = new PerRun(make, 'declared');
    this.call = call;
    this.isReplaceable = isReplaceable;
  }

  open({ L }: Pick<Bridge, 'L'>): void {
    lua.lua_newuserdata(L, 0).held = this;
    if (pushField(L, lua.LUA_REGISTRYINDEX, librariesKey) === lua.LUA_TNIL) {
      lua.lua_pop(L, 1);
      pushMetatable(L, 5, metamethods);
      lua.lua_pushvalue(L, -1);
      setField(L, lua.LUA_REGISTRYINDEX, librariesKey);
    }
    lua.lua_setmetatable(L, -2);
    lua.lua_setglobal(L, literal(this.name));
  }
}

/**
 * A library that has two names, such as `Agent` and `agent`: its functions are the same under both, and a call knows by which it
 * came.
 */
export function twoSpellings(
  name: string,
  make: (bridge: Bridge) => Functions,
  call: (bridge: Bridge, isLowerCase: boolean) => CFunction,
): Library[] {
  const functions = new PerRun(make, 'declared');
  return [name, name.toLowerCase()].map(
    (each) =>
      new Library(each, (bridge) => functions.of(bridge), {
        call: (bridge) => call(bridge, each !== name),
      }),
  );
}

const libraryAt = (L: LuaState): Library => anyHandleAt(L, 1) as Library;

const metamethods: Functions = {
  __index: (L) => {
    const functions = libraryAt(L).functions.of(bridgeOf(L));
    const key = toText(L, 2) ?? '';
    const fn = Object.hasOwn(functions, key) ? functions[key] : undefined;
    if (fn === undefined) return pushNil(L);
    lua.lua_pushcfunction(L, fn);
    return 1;
  },
  __newindex: (L) => {
    pushText(L, `${libraryAt(L).name} is read-only: can't set ${toText(L, 2) ?? ''}`);
    return lua.lua_error(L);
  },
  __call: (L) => {
    const { name, call } = libraryAt(L);
    if (call !== undefined) return call(bridgeOf(L))(L);
    return raise(L, `attempt to call a userdata value (global '${name}')`);
  },
  __tostring: (L) => {
    pushText(L, libraryAt(L).name);
    return 1;
  },
};

/** The global variable that holds the handle with this object, or null. */
export function globalNameOf(L: LuaState, held: unknown): string | null {
  lua.lua_checkstack(L, 4);
  weigh(L, sizeOf(globalsOf(L)) >> 2);
  return seenNameOf(L, held);
}

/** The same for who looks from outside: it costs the run nothing, and touches no stack. */
export function seenNameOf(L: LuaState, held: unknown): string | null {
  for (const entry of entriesOf(globalsOf(L))) {
    const bytes = bytesOf(entry.key);
    const name = bytes !== null && heldBy(entry) === held ? decodeUtf8(bytes) : null;
    if (name !== null) return name;
  }
  return null;
}

function heldBy({ type, value }: TValue): unknown {
  if (type !== lua.LUA_TUSERDATA) return undefined;
  return (value as { data: UserData }).data.held;
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
  const held = anyHandleAt(L, index);
  return held instanceof Library && held.isReplaceable;
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
