import { TactusError } from '../contract/errors.js';
import { getOwn, type JsonValue } from '../contract/json.js';
import type { Bridge } from './bridge.js';
import type { ProcedureDeclaration } from './declarations.js';
import { currentFrame } from './frame.js';
import { toJson } from './marshal.js';
import type { Step } from './native.js';
import { procedureNameOf } from './primitives/procedure.js';
import { loadChunk } from './load-chunk.js';
import { checkState, shareState } from './primitives/state.js';
import { runScenario } from './scenario-task.js';
import { chooseTask } from './choose-task.js';
import { runTask } from './run-task.js';
import { checkTasks, tasksOf } from './task-list.js';
import { callBody, checkInput, checkOutput, keepInput } from './procedure-call.js';
import { lauxlib, lua, pushField, type LuaState } from './vm/fengari.js';

/**
 * The whole of a run: executes the file, which declares things or is a script, and calls its main procedure.
 * @throws TactusError no_procedure, source_invalid, input_invalid, output_invalid
 */
export function* runMain(bridge: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  const { source, declared } = bridge;
  const text = getOwn(source.files, source.entry);
  if (text === undefined)
    throw new TactusError('source_not_found', `${source.entry} is not among the files of the procedure`);
  loadChunk(L, source.entry, text);
  yield { call: 0, results: 1 };
  declared.isLoading = false;
  if (declared.tasks.length > 0) checkTasks(bridge, tasksOf(bridge));
  const { scenario } = bridge;
  if (scenario === null) return yield* runProcedure(bridge, L);
  const value = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX); // of a script, whose end this was
  return yield* runScenario(bridge, L, scenario, () => {
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, value);
    return runProcedure(bridge, L);
  });
}

/** Calls the main procedure; the value that the file returned is on top of the stack, in case that it is a script. */
function* runProcedure(bridge: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  const { source, declared } = bridge;
  const main = mainProcedure(bridge);
  const tasks = tasksOf(bridge);
  const task = chooseTask(bridge, tasks, main !== null);
  if (task !== null) return yield* runTask(bridge, L, tasks, task);
  if (main !== null) {
    const input = checkInput(main.input, bridge.input);
    const { scope } = currentFrame(L);
    applyDefaults(bridge, main);
    scope.input = keepInput(L, input);
    scope.state = shareState(L, scope.state, main.state);
    return yield* callBody(bridge, L, main, scope.input, 'drop');
  }
  if (lua.lua_isnil(L, -1) && !isScript(bridge))
    throw new TactusError('no_procedure', `${source.entry} declares no Procedure and returns nothing`);
  checkState(L, currentFrame(L).scope.state);
  return checkOutput(declared.script.output, toJson(L, -1, bridge.limits.depth), 'keep');
}

/** What the main procedure declares for the whole run. */
function applyDefaults({ declared }: Bridge, { stages, history }: ProcedureDeclaration): void {
  if (stages.length > 0) declared.stages = stages;
  if (history.isShared) declared.defaults.historySource = 'shared';
  if (history.maxTokens !== null)
    declared.defaults.historyFilter = { kind: 'token_budget', n: history.maxTokens };
}

/** A file that asks for input, gives output or has done something is a script, though it returns nothing. */
function isScript({ declared, log }: Bridge): boolean {
  return declared.script.input !== null || declared.script.output !== null || log.ended > 0;
}

/**
 * The procedure to run: the one called main, else the only one, else the only one without a name. A plain global
 * function `main` counts as one. Beside tasks, a procedure with a name is there for them to call.
 */
function mainProcedure(bridge: Bridge): ProcedureDeclaration | null {
  const { procedures, tasks } = bridge.declared;
  const named = procedures.filter((each) => procedureNameOf(bridge, each) === 'main');
  const candidates =
    named.length > 0
      ? named
      : procedures.length === 1 && tasks.length === 0
        ? procedures
        : procedures.filter((each) => procedureNameOf(bridge, each) === null);
  if (candidates.length > 1)
    throw new TactusError(
      'source_invalid',
      `${bridge.source.entry} has ${candidates.length} main procedures; name all but one`,
    );
  const [main] = candidates;
  if (main !== undefined) return main;
  if (procedures.length > 0 && tasks.length === 0)
    throw new TactusError(
      'no_procedure',
      `${bridge.source.entry} has no main procedure; call one of them main`,
    );
  return plainMain(bridge);
}

function plainMain({ L }: Bridge): ProcedureDeclaration | null {
  lua.lua_pushglobaltable(L);
  const isFunction = pushField(L, -1, 'main') === lua.LUA_TFUNCTION;
  const body = isFunction ? lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) : null;
  lua.lua_settop(L, 0);
  if (body === null) return null;
  return {
    name: 'main',
    ownState: false,
    input: {},
    output: null,
    state: {},
    body,
    description: null,
    version: null,
    author: null,
    tags: [],
    stages: [],
    strict: null,
    dependencies: [],
    history: { isShared: false, maxTokens: null },
  };
}
