import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { nothingObserved, type Observed, type ScenarioStep } from '../../contract/specifications/scenario.js';
import {
  callingLine,
  DeclaredList,
  errorText,
  lauxlib,
  literal,
  lua,
  LuaRaised,
  PerRun,
  pushJson,
  setField,
  toText,
  type Bridge,
  type LuaState,
  type Step,
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

const noticed = new PerRun(nothingObserved, 'elsewhere');

/** What tests look at; null where the run is none: what is noticed takes memory. */
export function observed(bridge: Bridge): Observed | null {
  return bridge.run.scenario === null ? null : noticed.of(bridge);
}

/**
 * A scenario: the procedure, and the file's own steps around it. A step that fails before the procedure keeps it from
 * running; those after it are there to look, so each has its turn, even when the procedure has failed.
 */
export function* runScenario(
  bridge: Bridge,
  L: LuaState,
  steps: readonly ScenarioStep[],
  runProcedure: () => Generator<Step, JsonValue, unknown>,
): Generator<Step, JsonValue, unknown> {
  lua.lua_createtable(L, 0, 4);
  pushJson(L, bridge.run.input);
  setField(L, -2, 'input');
  const context = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  let output: JsonValue = null;
  let problem: { error: unknown; raised: number | null } | null = null;
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'own') {
      const isBefore = steps.slice(index).some(({ kind }) => kind === 'run');
      // What is arranged before the procedure was arranged in its first pass.
      const wasArranged = isBefore && bridge.run.pass !== null;
      const ended = wasArranged ? { ok: true, message: '' } : yield* runOwnStep(bridge, L, step, context);
      const noticed = observed(bridge);
      if (noticed !== null) noticed.steps[index] = ended;
      if (!ended.ok && isBefore) return null;
      continue;
    }
    const top = lua.lua_gettop(L);
    try {
      output = yield* runProcedure();
      lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, context);
      pushJson(L, output);
      setField(L, -2, 'output');
      lua.lua_settop(L, top);
    } catch (error) {
      const raised = error instanceof LuaRaised ? lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) : null;
      lua.lua_settop(L, top);
      problem = { error, raised };
    }
  }
  if (problem === null) return output;
  if (problem.raised !== null) lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, problem.raised);
  throw problem.error;
}

/** Calls a step's function with the scenario's context and what its pattern captured. */
function* runOwnStep(
  bridge: Bridge,
  L: LuaState,
  { step, captures }: Extract<ScenarioStep, { kind: 'own' }>,
  context: number,
): Generator<Step, { ok: boolean; message: string }, unknown> {
  const declared = declaredSteps.of(bridge)[step];
  if (declared === undefined) return { ok: false, message: 'the file no longer declares this step' };
  const top = lua.lua_gettop(L);
  lua.lua_checkstack(L, captures.length + 6);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, declared.body);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, context);
  for (const text of captures) pushJson(L, text);
  try {
    yield { call: captures.length + 1, results: 0 };
    return { ok: true, message: '' };
  } catch (error) {
    if (!(error instanceof LuaRaised)) throw error;
    const message = errorText(L, -1);
    lua.lua_settop(L, top);
    return { ok: false, message };
  }
}
