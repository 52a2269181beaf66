import { digestOf } from '../../contract/effects/digest.js';
import type { HumanAnswer, HumanRequestKind } from '../../contract/people/human-request.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import { toJson } from '../values/marshal.js';
import { lua, pushField, setField, type LuaState } from '../vm/fengari.js';

const name = 'preconditions';

/** Where the function lies on the stack of the call, once it is taken. */
const taken = 2;

/**
 * Takes `preconditions = function` out of the table of a call: the table is replaced by a copy without it, for functions don't
 * cross, and the author's stays as it is. Gives whether there is one.
 */
export function takePreconditions({ meter }: Bridge, L: LuaState): boolean {
  if (lua.lua_type(L, 1) !== lua.LUA_TTABLE) return false;
  lua.lua_settop(L, 1);
  if (pushField(L, 1, name) !== lua.LUA_TFUNCTION) {
    lua.lua_settop(L, 1);
    return false;
  }
  lua.lua_createtable(L, 0, 0);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, 1) !== 0) {
    meter.charge(1);
    lua.lua_pushvalue(L, -2);
    lua.lua_insert(L, -2);
    lua.lua_rawset(L, taken + 1);
  }
  lua.lua_pushnil(L);
  setField(L, taken + 1, name);
  lua.lua_replace(L, 1);
  return true;
}

/** What the decision is bound to, as it is now. */
export function* askPreconditions({ limits }: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  lua.lua_settop(L, taken);
  lua.lua_pushvalue(L, taken);
  yield { call: 0, results: 1 };
  const value = toJson(L, -1, limits.depth);
  lua.lua_settop(L, taken);
  return value;
}

/** A no is one whatever has changed; and where nobody has answered, nothing was decided. */
export function leadsOn(kind: HumanRequestKind, { value }: HumanAnswer): boolean {
  return kind === 'approval' ? value === true : value !== null;
}

export function isChanged(before: JsonValue, now: JsonValue): boolean {
  return digestOf(before) !== digestOf(now);
}
