import { isObject } from '../../contract/json/json.js';
import {
  callingLine,
  lauxlib,
  literal,
  lua,
  pushField,
  toJson,
  toText,
  type Bridge,
  type LuaState,
} from '../kernel/index.js';
import { declaredEvaluations, declaredSpecifications } from './specifications.js';

/**
 * `Specification[[Feature: …]]`, `Specification{from = "triage.feature"}` and its other spellings. They are noted for
 * tests, and do nothing in a run.
 */
export function openSpecification(bridge: Bridge): void {
  for (const name of ['Specification', 'Specifications', 'specification', 'specifications']) {
    lua.lua_pushcfunction(bridge.L, (L) => declare(bridge, L));
    lua.lua_setglobal(bridge.L, literal(name));
  }
  for (const name of ['Evaluation', 'Evaluations', 'evaluation', 'evaluations']) {
    lua.lua_pushcfunction(bridge.L, (L) => {
      lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
      const evaluation = bridge.scheduler.notes.guard(L, () => toJson(L, 1));
      if (isObject(evaluation)) declaredEvaluations.add(bridge, evaluation);
      return 0;
    });
    lua.lua_setglobal(bridge.L, literal(name));
  }
}

function declare(bridge: Bridge, L: LuaState): number {
  const line = callingLine(L)?.line ?? null;
  const text = lua.lua_type(L, 1) === lua.LUA_TSTRING ? toText(L, 1) : null;
  if (text !== null) {
    declaredSpecifications.add(bridge, { text, from: null, line });
    return 0;
  }
  lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
  const from = pushField(L, 1, 'from') === lua.LUA_TSTRING ? toText(L, -1) : null;
  if (from === null)
    return lauxlib.luaL_argerror(L, 1, literal('Gherkin text or { from = "file" } expected'));
  declaredSpecifications.add(bridge, { text: null, from, line });
  return 0;
}
