import { TactusError } from '../../contract/errors.js';
import {
  lauxlib,
  Library,
  lua,
  sizeOf,
  tableAt,
  type Bridge,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';

const unavailable = ['eval', 'exec', 'import', 'builtins', 'set_attr', 'as_function', 'args'];

/** What files of the reference use to walk through Python's lists: there are none here, so it walks through tables. */
export function openPython(bridge: Bridge): void {
  python.open(bridge);
}

const python = new Library('python', ({ scheduler }) => {
  const refuse =
    (name: string): CFunction =>
    (thread) =>
      scheduler.notes.raise(
        thread,
        new TactusError(
          'lua_error',
          `python.${name} is not there: procedures run without Python; write it in Lua`,
        ),
      );
  return {
    ...Object.fromEntries(unavailable.map((name) => [name, refuse(name)])),
    iter: iterate(itemTwice),
    iterex: iterate(itemTwice),
    enumerate: iterate(indexAndItem),
    len: (thread) => {
      lua.lua_pushinteger(thread, lengthOf(thread));
      return 1;
    },
    as_attrgetter: same,
    as_itemgetter: same,
  };
});

const same: CFunction = (L) => {
  lua.lua_settop(L, 1);
  return 1;
};

/** Entries of a table, bytes of a string. */
function lengthOf(L: LuaState): number {
  const table = tableAt(L, 1);
  return table === null ? lauxlib.luaL_checkstring(L, 1).length : sizeOf(table);
}

/** Files written for either of two bridges take the item from the first place or from the second. */
function itemTwice(L: LuaState): void {
  lua.lua_pushvalue(L, -1);
}

function indexAndItem(L: LuaState, i: number): void {
  lua.lua_pushinteger(L, i - 1);
  lua.lua_insert(L, -2);
}

/** Iterates over a list with what `shape` makes of an item; any other table gives its keys with their values. */
function iterate(shape: (L: LuaState, i: number) => void): CFunction {
  return (L) => {
    lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
    const isList = lua.lua_rawgeti(L, 1, 1) !== lua.LUA_TNIL;
    let i = 0;
    lua.lua_pushcfunction(L, (thread) => {
      lua.lua_settop(thread, 2);
      if (!isList) {
        if (lua.lua_next(thread, 1)) return 2;
        lua.lua_pushnil(thread);
        return 1;
      }
      if (lua.lua_rawgeti(thread, 1, ++i) === lua.LUA_TNIL) return 1;
      shape(thread, i);
      return 2;
    });
    lua.lua_pushvalue(L, 1);
    lua.lua_pushnil(L);
    return 3;
  };
}
