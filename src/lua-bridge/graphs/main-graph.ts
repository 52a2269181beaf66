import { contextField } from '../../contract/graphs/worker-graph.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  handleAt,
  lauxlib,
  lua,
  native,
  PerRun,
  seenNameOf,
  type Bridge,
  type Fields,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import {
  checkInput,
  plainProcedure,
  type ProcedureDeclaration,
} from '../procedures/procedure-declaration.js';
import { declaredGraphs, inputFields, type GraphDeclaration } from './graph-declaration.js';
import { runGraph } from './run-graph.js';

interface NotedGraphs {
  /** Of the handles of graphs; null: there are none. */
  type: HandleType | null;
  /** What the file returned, where that is a graph. */
  returned: GraphDeclaration | null;
  /** The file returned nothing, and is no script: a graph that a global variable holds may be its main part. */
  isDeclarationAlone: boolean;
}

export const graphs = new PerRun(
  (): NotedGraphs => ({
    type: null,
    returned: null,
    isDeclarationAlone: false,
  }),
  'declared',
);

/** Notes how the top level of the file ended; what it returned is on top of the stack. */
export function noteReturned(bridge: Bridge, L: LuaState, isScript: boolean): void {
  const noted = graphs.of(bridge);
  if (noted.type === null) return;
  noted.returned = handleAt(L, -1, noted.type) as GraphDeclaration | null;
  noted.isDeclarationAlone = lua.lua_isnil(L, -1) && !isScript;
}

/** The graph that the file says is its main part: it returned it, or calls it `main`; null: there is none. */
export function statedGraph(bridge: Bridge): GraphDeclaration | null {
  const declared = declaredGraphs.of(bridge);
  if (declared.length === 0) return null;
  const { returned } = graphs.of(bridge);
  return returned ?? declared.find((graph) => seenNameOf(bridge.L, graph) === 'main') ?? null;
}

/** Graphs that global variables hold, of a file that may have one of them as its main part. */
export function globalGraphs(bridge: Bridge): GraphDeclaration[] {
  if (!graphs.of(bridge).isDeclarationAlone) return [];
  return declaredGraphs.of(bridge).filter((graph) => seenNameOf(bridge.L, graph) !== null);
}

/** What a graph is as the main part of a file, for who looks at the file. */
export function describedGraph(graph: GraphDeclaration, body = 0): ProcedureDeclaration {
  return {
    ...plainProcedure(body),
    name: graph.name,
    input: mainFields(graph),
    description: graph.description,
    // A thread has turns: another attempt would be one more of them.
    question: false,
  };
}

/** What nodes are given beside the channels stands in the input, too, unless a channel is called so. */
function mainFields(graph: GraphDeclaration): Fields {
  return { [contextField]: { type: 'object', required: false }, ...inputFields(graph) };
}

function givenInput(graph: GraphDeclaration, input: JsonValue): { input: JsonObject; context: JsonValue } {
  if (!isObject(input)) return { input: {}, context: {} };
  if (graph.channels.has(contextField)) return { input, context: {} };
  const { [contextField]: context = {}, ...channels } = input;
  return { input: channels, context };
}

/** A procedure that runs the graph: its input is the graph's, and its output the values of the last snapshot. */
export function graphProcedure(bridge: Bridge, graph: GraphDeclaration): ProcedureDeclaration {
  const { L } = bridge;
  let values: JsonObject = {};
  lua.lua_pushcfunction(
    L,
    native(bridge, function* (thread) {
      // As it came, and not as Lua has it: to Lua, what is empty is a list.
      const given = givenInput(graph, checkInput(mainFields(graph), bridge.run.input));
      ({ values } = yield* runGraph(bridge, thread, graph, given));
      return 0;
    }),
  );
  const body = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  return { ...describedGraph(graph, body), given: () => values };
}
