import { canonicalJson } from '../../contract/json/json.js';
import {
  addTransactionPart,
  copyTop,
  currentFrame,
  lauxlib,
  lua,
  NoExactForm,
  toExact,
  valueAt,
  type LuaState,
  type OpenTransaction,
  type StateStore,
} from '../kernel/index.js';

/** A state that is changed apart from the one that it was copied from. */
interface StateCopy {
  /** That one. */
  whole: StateStore;
  store: StateStore;
  /** What was there at first, by name: its exact form as text, or null where it has none. */
  begun: Map<string, string | null>;
}

const copies = new WeakMap<OpenTransaction, StateCopy>();

addTransactionPart({
  mayRefuse: false,
  begin: (_, L, transaction) => {
    const { scope } = currentFrame(L);
    const copy = copyState(L, scope.state);
    copies.set(transaction, copy);
    scope.state = copy.store;
  },
  end: (_, L, transaction, isKept) => {
    const copy = copies.get(transaction);
    if (copy === undefined) return;
    copies.delete(transaction);
    if (isKept) mergeState(L, copy);
    lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, copy.store.table);
    currentFrame(L).scope.state = copy.whole;
  },
});

/** @throws TactusError value_not_json */
function copyState(L: LuaState, whole: StateStore): StateCopy {
  const { table, fields } = whole;
  lua.lua_checkstack(L, 4);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, table);
  copyTop(L);
  const begun = formsOfTop(L);
  return { whole, store: { table: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX), fields }, begun };
}

/** Puts into a state what has changed in its copy. What others have changed meanwhile stays, unless the copy has changed the same name. */
function mergeState(L: LuaState, { whole: { table }, store, begun }: StateCopy): void {
  lua.lua_checkstack(L, 6);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, table);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, store.table);
  const ended = formsOfTop(L);
  for (lua.lua_pushnil(L); lua.lua_next(L, -2) !== 0;) {
    const name = keyText(L, -2);
    const form = ended.get(name);
    if (form !== null && form === begun.get(name)) {
      lua.lua_pop(L, 1);
      continue;
    }
    lua.lua_pushvalue(L, -2);
    lua.lua_insert(L, -2);
    lua.lua_rawset(L, -5);
  }
  // Names that it has taken out, by a look at what is still there.
  const gone = [...begun.keys()].filter((name) => !ended.has(name));
  if (gone.length > 0) {
    for (lua.lua_pushnil(L); lua.lua_next(L, -3) !== 0;) {
      lua.lua_pop(L, 1);
      if (!gone.includes(keyText(L, -1))) continue;
      lua.lua_pushvalue(L, -1);
      lua.lua_pushnil(L);
      lua.lua_rawset(L, -5);
    }
  }
  lua.lua_pop(L, 2);
}

/** The values of the table on top of the stack, each as text that tells two apart. */
function formsOfTop(L: LuaState): Map<string, string | null> {
  const forms = new Map<string, string | null>();
  for (lua.lua_pushnil(L); lua.lua_next(L, -2) !== 0; lua.lua_pop(L, 1))
    forms.set(keyText(L, -2), formAt(L, -1));
  return forms;
}

/** Text and numbers are told apart. */
function keyText(L: LuaState, index: number): string {
  return formAt(L, index) ?? '';
}

function formAt(L: LuaState, index: number): string | null {
  const value = valueAt(L, index);
  try {
    return value === undefined ? 'null' : canonicalJson(toExact(L, value));
  } catch (error) {
    if (error instanceof NoExactForm) return null;
    throw error;
  }
}
