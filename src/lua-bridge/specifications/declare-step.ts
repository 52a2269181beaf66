import type { Bridge } from '../kernel/bridge.js';
import { callingLine } from '../vm/traceback.js';
import { lauxlib, literal, lua, toText, type LuaState } from '../vm/fengari.js';
import { declaredSteps } from './specifications.js';

/** `Step("text of the step", function(context, …) … end)`: a step of Specifications, kept for tests. */
export function declareStep(bridge: Bridge, L: LuaState, first: number): number {
  const pattern =
    toText(L, first) ?? lauxlib.luaL_argerror(L, 1, literal('the text of a step expected, and a function'));
  lauxlib.luaL_checktype(L, first + 1, lua.LUA_TFUNCTION);
  const line = callingLine(L)?.line ?? null;
  lua.lua_pushvalue(L, first + 1);
  declaredSteps.add(bridge, { pattern, body: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX), line });
  return 0;
}
