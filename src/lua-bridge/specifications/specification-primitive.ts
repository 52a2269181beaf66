import { isObject } from '../../contract/json/json.js';
import {
  callingLine,
  GlobalFunctions,
  lauxlib,
  literal,
  lua,
  pushField,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';
import { declaredEvaluations, declaredSpecifications } from './specifications.js';

/**
 * `Specification[[Feature: …]]`, `Specification{from = "triage.feature"}` and its other spellings. They are noted for
 * tests, and do nothing in a run.
 */
export function openSpecification(bridge: Bridge): void {
  specifications.open(bridge);
  evaluations.open(bridge);
}

const specifications = new GlobalFunctions(
  ['Specification', 'Specifications', 'specification', 'specifications'],
  (bridge) => {
    const note: CFunction = (L) => declare(bridge, L);
    return { Specification: note, Specifications: note, specification: note, specifications: note };
  },
);

const evaluations = new GlobalFunctions(
  ['Evaluation', 'Evaluations', 'evaluation', 'evaluations'],
  (bridge) => {
    const note: CFunction = (L) => {
      lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
      const evaluation = bridge.scheduler.notes.guard(L, () => toJson(L, 1));
      if (isObject(evaluation)) declaredEvaluations.add(bridge, evaluation);
      return 0;
    };
    return { Evaluation: note, Evaluations: note, evaluation: note, evaluations: note };
  },
);

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
