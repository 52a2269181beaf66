import type { JsonObject } from '../../contract/json/json.js';
import { nothingObserved, type Observed } from '../../contract/specifications/scenario.js';
import {
  callingLine,
  DeclaredList,
  lauxlib,
  literal,
  lua,
  PerRun,
  toText,
  type Bridge,
  type LuaState,
} from '../kernel/index.js';

/** A step of Specifications that the file brings itself. */
export interface StepDeclaration {
  /** Regular expression, matched from the beginning of a step's text. */
  pattern: string;
  /** Registry reference of the Lua function. */
  body: number;
  line: number | null;
}

/** Gherkin text, or the name of a file that has it. */
export interface SpecificationDeclaration {
  text: string | null;
  from: string | null;
  /** Line of the call in the procedure's file. */
  line: number | null;
}

export const declaredSteps = new DeclaredList<StepDeclaration>(true);
export const declaredSpecifications = new DeclaredList<SpecificationDeclaration>(true);
export const declaredEvaluations = new DeclaredList<JsonObject>(true);

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

const noticed = new PerRun(nothingObserved);

/** What tests look at; null where the run is none: what is noticed takes memory. */
export function observed(bridge: Bridge): Observed | null {
  return bridge.run.scenario === null ? null : noticed.of(bridge);
}
