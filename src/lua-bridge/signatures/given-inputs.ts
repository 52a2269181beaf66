import { TactusError } from '../../contract/errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { toJson } from '../values/marshal.js';
import { handleAt, type HandleType } from '../vm/handle.js';
import { lua, tableAt, toText, weigh, type LuaState } from '../vm/fengari.js';
import { History } from './history.js';

/** What a module is called with. */
export interface GivenInputs {
  /** All of it as data, what was said before too. */
  values: JsonObject;
  /** The inputs that were given as a `History`. */
  histories: readonly string[];
}

/**
 * Reads the table at `index`, in which inputs may be histories.
 * @param what is called, for the error
 * @throws TactusError predict_failed where it is no table of inputs; value_not_json
 */
export function givenInputs(L: LuaState, index: number, type: HandleType, what: string): GivenInputs {
  const top = lua.lua_gettop(L);
  const found = tableAt(L, index) === null ? [] : takeHistories(L, index, type);
  const given = toJson(L, found.length === 0 ? index : -1);
  lua.lua_settop(L, top);
  const values = readTable(given, what);
  for (const [name, history] of found) {
    weigh(L, history.length);
    setOwn(values, name, history.messages);
  }
  return { values, histories: found.map(([name]) => name) };
}

/** Those at names, and on top of the stack a copy of the table without them. */
function takeHistories(L: LuaState, index: number, type: HandleType): [string, History][] {
  const found: [string, History][] = [];
  lua.lua_createtable(L, 0, 0);
  const copy = lua.lua_gettop(L);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, index)) {
    const history = handleAt(L, -1, type);
    const name = lua.lua_type(L, -2) === lua.LUA_TSTRING ? toText(L, -2) : null;
    if (history instanceof History && name !== null) {
      found.push([name, history]);
      lua.lua_pop(L, 1);
      continue;
    }
    lua.lua_pushvalue(L, -2);
    lua.lua_insert(L, -2);
    lua.lua_rawset(L, copy);
  }
  return found;
}

function readTable(given: JsonValue, what: string): JsonObject {
  if (isObject(given)) return given;
  if (Array.isArray(given) && given.length === 0) return {};
  throw new TactusError('predict_failed', `${what} takes a table of its inputs, as { question = "…" }`);
}
