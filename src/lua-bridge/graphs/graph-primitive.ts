import { TactusError } from '../../contract/errors.js';
import { asJson, isEmptyList, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  handleAt,
  lauxlib,
  Library,
  literal,
  lua,
  native,
  pushHandle,
  pushJson,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { callables } from '../tools/read-tools.js';
import {
  declaredGraphs,
  graphNameOf,
  inputFields,
  readGraph,
  type GraphDeclaration,
} from './graph-declaration.js';
import { interrupt } from './interrupts.js';
import { graphs } from './main-graph.js';
import { reducerFunctions } from './reducers.js';
import { runGraph } from './run-graph.js';
import { nodeAround } from './run-nodes.js';

/**
 * `Graph {channels = {…}, nodes = {…}, entrypoint = "…", max_steps = n}`: runs in super-steps when it is called. `Graph.append`,
 * `Graph.last` and `Graph.bounded(n)` are reducers; `Graph.interrupt` waits inside a node.
 */
export function openGraph(bridge: Bridge, tools: HandleType): void {
  const type: HandleType = { name: 'graph', index: () => 0 };
  type.call = native(bridge, call(bridge, type));
  graphs.of(bridge).type = type;
  callables.of(bridge).set(type, (held) => {
    const graph = held as GraphDeclaration;
    const name = (): string => graphNameOf(bridge, graph);
    const description = graph.description ?? `Runs the graph ${name()}`;
    return { name, description, input: inputFields(graph), argument: (args) => args, result: 'values' };
  });
  const functions = (): Record<string, CFunction> => ({
    ...reducerFunctions(bridge),
    interrupt: native(bridge, interruptHere(bridge)),
  });
  new Library('Graph', functions, { call: () => declare(bridge, type, tools) }).open(bridge);
}

function declare(bridge: Bridge, type: HandleType, tools: HandleType): CFunction {
  return (L) => {
    lauxlib.luaL_checktype(L, 2, lua.LUA_TTABLE);
    lua.lua_settop(L, 2);
    const graph = bridge.scheduler.notes.guard(L, () => readGraph(bridge, L, 2, tools));
    declaredGraphs.add(bridge, graph);
    pushHandle(L, type, graph);
    return 1;
  };
}

/** A call with the input and the context: gives the last snapshot. */
function call(bridge: Bridge, type: HandleType): Native {
  return function* (L) {
    const graph = handleAt(L, 1, type) as GraphDeclaration;
    lua.lua_settop(L, 3);
    const input = tableAt(L, 2, 'the input must be a table of values by channels, such as {notes = {}}');
    const context = tableAt(L, 3, 'the context must be a table');
    pushJson(L, asJson(yield* runGraph(bridge, L, graph, { input, context })));
    return 1;
  };
}

/** An empty table is a list to Lua. */
function tableAt(L: LuaState, index: number, problem: string): JsonObject {
  const given: JsonValue = toJson(L, index);
  if (given === null || isEmptyList(given)) return {};
  return isObject(given) ? given : lauxlib.luaL_argerror(L, index, literal(problem));
}

/** `Graph.interrupt(reason, payload, options)`: waits for whoever resumes the graph, and gives what they said. */
function interruptHere(bridge: Bridge): Native {
  return function* (L) {
    const around = nodeAround(bridge, L);
    if (around === null)
      throw new TactusError(
        'lua_error',
        'Graph.interrupt is for nodes of a graph; elsewhere, ask with Human.input',
      );
    lua.lua_settop(L, 3);
    const reason = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('the reason expected: a text'));
    const payload = toJson(L, 2);
    const options = tableAt(L, 3, 'a table of options expected, such as {timeout = "1d"}');
    pushJson(L, yield* interrupt(bridge, around, reason, payload, options));
    return 1;
  };
}
