import type { JsonValue } from '../../contract/json/json.js';
import type { ScenarioStep } from '../../contract/specifications/scenario.js';
import {
  errorText,
  lauxlib,
  lua,
  LuaRaised,
  pushJson,
  setField,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { declaredSteps, observed } from './specifications.js';

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
      const ended = yield* runOwnStep(bridge, L, step, context);
      const noticed = observed(bridge);
      if (noticed !== null) noticed.steps[index] = ended;
      if (!ended.ok && steps.slice(index).some(({ kind }) => kind === 'run')) return null;
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
