import { TactusError } from '../../contract/errors.js';
import { getOwn, jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { Deadline } from '../budgets/deadline.js';
import { withCleanup } from '../checkpoints/compensating.js';
import { byDeadline } from '../checkpoints/in-time.js';
import { askingOnFailure, configuredQuestion } from '../procedures/ask-failure.js';
import { lasting, runBudgets } from '../budgets/run-budgets.js';
import {
  AttemptedEffects,
  BudgetScope,
  currentFrame,
  globalNameOf,
  lauxlib,
  lua,
  native,
  newFrame,
  pushField,
  pushJson,
  setField,
  toJson,
  type Bridge,
  type Frame,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import {
  callBody,
  checkInput,
  checkOutput,
  loading,
  mainInput,
  type ProcedureDeclaration,
} from '../procedures/procedure-declaration.js';
import { keepInput } from '../procedures/read-only.js';
import { noteReturned } from '../graphs/main-graph.js';
import { loadChunk } from '../modules/load-chunk.js';
import { checkState, newStateStore, script, shareState } from '../state/state-store.js';
import { runScenario } from '../specifications/specifications.js';
import { checkTasks, chooseTask, runTask, tasksOf } from '../tasks/task-list.js';
import { historyDefault } from '../agents/history.js';
import { declaredAgents } from '../agents/agent-declaration.js';
import { referencesOf } from '../agents/turn-request.js';
import { progress } from '../progress/progress.js';
import { declaredTasks } from '../tasks/task-declaration.js';
import { codeNames } from '../../contract/tools/code-review.js';
import { codeTools } from '../tools/code-mode.js';
import { findTools, listOutside, outsideSources } from '../tools/resolve-tools.js';
import { callTool } from '../tools/tool-call.js';
import {
  declaredTools,
  declaredToolsets,
  type NamedTool,
  type ToolReference,
} from '../tools/tool-declaration.js';
import { mainProcedure } from './main-procedure.js';

/**
 * The whole of a run: executes the file, which declares things or is a script, and calls its main procedure.
 * @throws TactusError no_procedure, source_invalid, input_invalid, output_invalid, payload_too_large
 */
export function* runMain(bridge: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  const output = yield* runFile(bridge, L);
  const { payloadBytes } = bridge.limits;
  const bytes = jsonSize(output);
  if (bytes > payloadBytes)
    throw new TactusError(
      'payload_too_large',
      `an output of ${bytes} bytes is larger than the ${payloadBytes} that can be kept`,
    );
  return output;
}

/** What all of a run stands in: its input, its state, and what it may use. */
export function rootFrame(bridge: Bridge): Frame {
  const { pass } = bridge.run;
  const root = newFrame('', {
    input: keepInput(bridge.L, {}),
    state: newStateStore(bridge.L, {}, pass?.state),
    step: null,
    group: null,
    depth: 0,
    isRecorded: false,
    isBatched: false,
    budgets: runBudgets(bridge),
    kept: new Map(),
    ...(bridge.holds('failure-questions') ? { attempted: new AttemptedEffects(null, false) } : {}),
  });
  // Positions of the pass before are taken.
  if (pass !== null) root.next = pass.position;
  return root;
}

function* runFile(bridge: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  const { source, scenario } = bridge.run;
  const text = getOwn(source.files, source.entry);
  if (text === undefined)
    throw new TactusError('source_not_found', `${source.entry} is not among the files of the procedure`);
  loadChunk(L, source.entry, text);
  yield { call: 0, results: 1 };
  loading.of(bridge).hasEnded = true;
  noteReturned(bridge, L, isScript(bridge));
  if (declaredTasks.of(bridge).length > 0) checkTasks(bridge, tasksOf(bridge));
  if (scenario === null) return yield* runInTime(bridge, L);
  const value = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX); // of a script, whose end this was
  return yield* runScenario(bridge, L, scenario, () => {
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, value);
    return runProcedure(bridge, L);
  });
}

/** As `runProcedure`, in the time that the run that has started this one has for it. */
function* runInTime(bridge: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  const { deadline } = bridge.run;
  if (deadline === null) return yield* runProcedure(bridge, L);
  const value = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  return yield* byDeadline(bridge, L, 'the run', { at: deadline }, (thread) => {
    lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, value);
    return runProcedure(bridge, thread);
  });
}

/** Calls the main procedure; the value that the file returned is on top of the stack, in case that it is a script. */
function* runProcedure(bridge: Bridge, L: LuaState): Generator<Step, JsonValue, unknown> {
  yield* pinTools(bridge, L);
  const { code } = bridge.run;
  if (code !== null) return yield* runWritten(bridge, L, code);
  const configured = configuredQuestion(bridge);
  const main = mainProcedure(bridge);
  const tasks = tasksOf(bridge);
  const task = chooseTask(bridge, tasks, main !== null);
  if (task !== null) {
    const part = { what: `task '${task}'`, question: configured, give: (value: JsonValue) => value };
    return yield* askingOnFailure(bridge, L, part, () => runTask(bridge, L, tasks, task));
  }
  if (main !== null) {
    const input = checkInput(main.input, bridge.run.input);
    const { scope } = currentFrame(L);
    applyDefaults(bridge, main);
    scope.input = keepInput(L, input);
    scope.state = shareState(L, scope.state, main.state);
    if (main.budget !== null) {
      const own = new BudgetScope(main.name ?? 'the procedure', main.budget, bridge.now());
      scope.budgets = [...scope.budgets, lasting(bridge, 'procedure', own)];
    }
    mainInput.of(bridge).fields = main.input;
    const what = `procedure '${main.name ?? 'main'}'`;
    const call = (): Generator<Step, JsonValue, unknown> =>
      byDeadline(bridge, L, what, leftOfRun(bridge, main), (thread) =>
        callBody(bridge, thread, main, scope.input, 'drop'),
      );
    const question = main.question ?? configured;
    if (question === null || question === false) return yield* call();
    const give = (value: JsonValue): JsonValue => checkOutput(main.output, value, 'drop');
    return yield* askingOnFailure(bridge, L, { what, question, give }, () => withCleanup(bridge, L, call));
  }
  if (lua.lua_isnil(L, -1) && !isScript(bridge))
    throw new TactusError(
      'no_procedure',
      `${bridge.run.source.entry} declares no Procedure and returns nothing`,
    );
  checkState(L, currentFrame(L).scope.state);
  return checkOutput(script.of(bridge).output, toJson(L, -1, bridge.limits.depth), 'keep');
}

/** The time of the main procedure is that of the run, in all of its passes. */
function leftOfRun({ run, now }: Bridge, { deadline }: ProcedureDeclaration): Deadline | null {
  if (deadline === null || run.pass === null || 'at' in deadline) return deadline;
  const afterMs = run.startedAt + deadline.afterMs - now();
  return afterMs > 0 ? { afterMs } : { at: run.startedAt + deadline.afterMs };
}

/** What the main procedure declares for the whole run. */
function applyDefaults(bridge: Bridge, { stages, history }: ProcedureDeclaration): void {
  if (stages.length > 0) progress.of(bridge).stageNames = stages;
  if (history.isShared) historyDefault.of(bridge).source = 'shared';
  if (history.maxTokens !== null)
    historyDefault.of(bridge).filter = { kind: 'token_budget', n: history.maxTokens };
}

/** A file that asks for input, gives output or has done something is a script, though it returns nothing. */
function isScript(bridge: Bridge): boolean {
  const { input, output } = script.of(bridge);
  return input !== null || output !== null || bridge.log.ended > 0;
}

/**
 * Runs what a model has written over the tools of an agent. Its environment is a table of its own with these tools and
 * `codeNames`: there is no way from it to anything else.
 * @throws TactusError tool_failed where the file doesn't declare the agent at its top level, source_not_found
 */
function* runWritten(
  bridge: Bridge,
  L: LuaState,
  { agent: name, file }: { agent: string; file: string },
): Generator<Step, JsonValue, unknown> {
  const agent = declaredAgents.of(bridge).find((each) => (each.name ?? globalNameOf(L, each)) === name);
  if (agent === undefined)
    throw new TactusError('tool_failed', `${name} writes procedures: declare it outside of functions`);
  const tools = codeTools(yield* findTools(bridge, L, referencesOf(bridge, agent)));
  const text = getOwn(bridge.run.source.files, file);
  if (text === undefined)
    throw new TactusError(
      'source_not_found',
      `${file}, which ${name} wrote, is not among the files of the run`,
    );
  lua.lua_checkstack(L, 8);
  loadChunk(L, file, text);
  pushEnvironment(bridge, L, tools);
  lua.lua_setupvalue(L, -2, 1);
  yield { call: 0, results: 1 };
  return toJson(L, -1, bridge.limits.depth);
}

function pushEnvironment(bridge: Bridge, L: LuaState, tools: ReadonlyMap<string, NamedTool>): void {
  lua.lua_createtable(L, 0, tools.size + codeNames.length);
  lua.lua_pushglobaltable(L);
  for (const name of codeNames) {
    pushField(L, -1, name);
    setField(L, -3, name);
  }
  lua.lua_pop(L, 1);
  for (const [name, tool] of tools) {
    lua.lua_pushcfunction(
      L,
      native(bridge, function* (thread) {
        const args: JsonValue = lua.lua_isnoneornil(thread, 1) ? {} : toJson(thread, 1);
        pushJson(thread, yield* callTool(bridge, thread, tool, args));
        return 1;
      }),
    );
    setField(L, -2, name);
  }
}

/**
 * Asks for all tools outside of the run that the file has declared, before anything else is done: the run has the same ones
 * from then on, in all of its branches, whatever becomes of their servers.
 */
function* pinTools(bridge: Bridge, L: LuaState): Generator<Step, void, unknown> {
  const references: ToolReference[] = [
    ...declaredTools.of(bridge).map((tool) => ({ of: { tool }, selection: null })),
    ...declaredToolsets.of(bridge).map((toolset) => ({ of: { toolset }, selection: null })),
    ...declaredAgents.of(bridge).flatMap((agent) => referencesOf(bridge, agent)),
  ];
  yield* listOutside(bridge, L, outsideSources(bridge, references));
}
