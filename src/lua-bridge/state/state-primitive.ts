import { TactusError } from '../../contract/errors.js';
import { getOwn, type JsonValue } from '../../contract/json/json.js';
import {
  checkField,
  currentFrame,
  lauxlib,
  Library,
  literal,
  lua,
  pushJson,
  readSchema,
  seal,
  setField,
  toJson,
  toText,
  withFloats,
  type Bridge,
  type CFunction,
  type LuaState,
  type StateStore,
} from '../kernel/index.js';
import './state-copy.js';
import { pushStateTable, script, shareState } from './state-store.js';

/** `state.x` and `State.set("x", …)`: working data of a procedure, kept because the procedure is run again from its log. */
export function openState(bridge: Bridge): void {
  openProxy(bridge, guardedBy(bridge));
  library.open(bridge);
}

const library = new Library('State', (bridge) => stateFunctions(guardedBy(bridge)));

const guardedBy =
  ({ scheduler }: Bridge) =>
  (fn: CFunction): CFunction =>
  (thread) =>
    scheduler.notes.guard(thread, () => fn(thread));

const store = (thread: LuaState): StateStore => currentFrame(thread).scope.state;

/** The key at `index`, which must be text. */
function keyAt(thread: LuaState, index: number): string {
  if (lua.lua_type(thread, index) !== lua.LUA_TSTRING)
    lauxlib.luaL_argerror(thread, index, literal('the name must be a string'));
  const key = toText(thread, index);
  return key ?? lauxlib.luaL_argerror(thread, index, literal('the name must be text'));
}

function pushValue(thread: LuaState, key: string): number {
  pushStateTable(thread, store(thread));
  return pushRaw(thread, key);
}

function pushRaw(thread: LuaState, key: string): number {
  pushJson(thread, key);
  const type = lua.lua_rawget(thread, -2);
  lua.lua_remove(thread, -2);
  return type;
}

/** Checks the value on top against what is declared, and stores it. */
function setValue(thread: LuaState, key: string): void {
  const { fields, table } = store(thread);
  const field = getOwn(fields, key);
  if (lua.lua_type(thread, -1) !== lua.LUA_TNIL) {
    const value = toJson(thread, -1);
    if (field !== undefined) {
      const checked = checkField(key, field, value, {
        code: 'state_invalid',
        unknown: 'keep',
        requireAll: false,
      });
      if (checked !== value) {
        lua.lua_pop(thread, 1);
        pushJson(thread, checked);
      }
    }
  }
  lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, table);
  lua.lua_insert(thread, -2);
  setField(thread, -2, key);
  lua.lua_pop(thread, 1);
}

function openProxy(bridge: Bridge, guarded: (fn: CFunction) => CFunction): void {
  const { L } = bridge;
  const metamethods: Record<string, CFunction> = {
    __index: (thread) => {
      pushValue(thread, keyAt(thread, 2));
      return 1;
    },
    __newindex: guarded((thread) => {
      setValue(thread, keyAt(thread, 2));
      return 0;
    }),
    // In script mode `state {…}` declares the fields of the script's state.
    __call: guarded((thread) => {
      const schema = readSchema(toJson(thread, 2), 'state');
      if (schema.kind === 'value') throw new TactusError('source_invalid', 'state must be a table of fields');
      script.of(bridge).state = schema.fields;
      const { scope } = currentFrame(thread);
      scope.state = shareState(thread, scope.state, schema.fields);
      return 0;
    }),
    __pairs: (thread) => {
      lua.lua_pushcfunction(thread, (inner) => {
        lauxlib.luaL_checktype(inner, 1, lua.LUA_TTABLE);
        lua.lua_settop(inner, 2);
        if (lua.lua_next(inner, 1)) return 2;
        lua.lua_pushnil(inner);
        return 1;
      });
      pushStateTable(thread, store(thread));
      lua.lua_pushnil(thread);
      return 3;
    },
  };
  lua.lua_createtable(L, 0, 0);
  lua.lua_createtable(L, 0, 4);
  for (const [name, fn] of Object.entries(metamethods)) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  lua.lua_pushboolean(L, false);
  setField(L, -2, '__metatable');
  lua.lua_setmetatable(L, -2);
  seal(L, 'rawset would not reach the state; write state.x = …');
  lua.lua_setglobal(L, literal('state'));
}

function stateFunctions(guarded: (fn: CFunction) => CFunction): Record<string, CFunction> {
  return {
    get: (thread) => {
      lua.lua_settop(thread, 2);
      if (pushValue(thread, keyAt(thread, 1)) === lua.LUA_TNIL) lua.lua_pushvalue(thread, 2);
      return 1;
    },
    set: guarded((thread) => {
      lua.lua_settop(thread, 2);
      setValue(thread, keyAt(thread, 1));
      return 0;
    }),
    increment: guarded((thread) => {
      const key = keyAt(thread, 1);
      lua.lua_settop(thread, 2);
      const step = lua.lua_isnil(thread, 2) ? 1 : lauxlib.luaL_checknumber(thread, 2);
      const type = pushValue(thread, key);
      if (type !== lua.LUA_TNIL && type !== lua.LUA_TNUMBER)
        throw new TactusError('state_invalid', `State.increment: ${key} is no number`);
      if (type === lua.LUA_TNIL) lua.lua_pushinteger(thread, 0);
      // A numeral in text is no float, as in `1 + "2"`.
      if (lua.lua_type(thread, 2) === lua.LUA_TNUMBER) lua.lua_pushvalue(thread, 2);
      else pushJson(thread, step);
      lua.lua_arith(thread, lua.LUA_OPADD);
      lua.lua_pushvalue(thread, -1);
      setValue(thread, key);
      return 1;
    }),
    append: guarded((thread) => {
      lua.lua_settop(thread, 2);
      const key = keyAt(thread, 1);
      const type = pushValue(thread, key);
      if (type !== lua.LUA_TNIL && type !== lua.LUA_TTABLE)
        throw new TactusError('state_invalid', `State.append: ${key} is no list`);
      const list: JsonValue = type === lua.LUA_TNIL ? [] : toJson(thread, -1);
      if (!Array.isArray(list)) throw new TactusError('state_invalid', `State.append: ${key} is no list`);
      if (type === lua.LUA_TNIL) lua.lua_createtable(thread, 0, 0);
      lua.lua_pushvalue(thread, 2);
      lua.lua_rawseti(thread, -2, list.length + 1);
      setValue(thread, key);
      return 0;
    }),
    all: (thread) => {
      pushStateTable(thread, store(thread));
      const copy = withFloats(thread, -1);
      pushJson(thread, Array.isArray(copy) ? {} : copy);
      return 1;
    },
    clear: (thread) => {
      const current = store(thread);
      lua.lua_createtable(thread, 0, 0);
      lua.lua_rawseti(thread, lua.LUA_REGISTRYINDEX, current.table);
      return 0;
    },
  };
}
