import { TactusError } from '../../contract/errors.js';
import { lauxlib, lua, pushField, type Bridge } from '../kernel/index.js';
import {
  declaredProcedures,
  plainProcedure,
  procedureNameOf,
  type ProcedureDeclaration,
} from '../procedures/procedure-declaration.js';
import { describedGraph, globalGraphs, graphProcedure, statedGraph } from '../graphs/main-graph.js';
import type { GraphDeclaration } from '../graphs/graph-declaration.js';
import { declaredTasks } from '../tasks/task-declaration.js';

/**
 * The procedure to run: a graph that the file returned or calls main, the procedure called main, else the only one, else the
 * only one without a name. A plain global function `main` counts as one, and so does the only graph of a file with nothing else.
 * Beside tasks, a procedure with a name is there for them to call.
 */
export function mainProcedure(bridge: Bridge): ProcedureDeclaration | null {
  const stated = statedGraph(bridge);
  if (stated !== null) return graphProcedure(bridge, stated);
  const procedures = declaredProcedures.of(bridge);
  const tasks = declaredTasks.of(bridge);
  const { entry } = bridge.run.source;
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
      `${entry} has ${candidates.length} main procedures; name all but one`,
    );
  const [main] = candidates;
  if (main !== undefined) return main;
  if (procedures.length > 0 && tasks.length === 0)
    throw new TactusError('no_procedure', `${entry} has no main procedure; call one of them main`);
  return plainMain(bridge) ?? (tasks.length === 0 ? onlyGraph(bridge) : null);
}

/** The only graph that a global variable of the file holds. */
function onlyGraph(bridge: Bridge): ProcedureDeclaration | null {
  const [graph, ...others] = globalGraphs(bridge);
  if (graph === undefined) return null;
  if (others.length > 0)
    throw new TactusError(
      'source_invalid',
      `${bridge.run.source.entry} has ${others.length + 1} graphs; call one of them main`,
    );
  return graphProcedure(bridge, graph);
}

function plainMain({ L }: Bridge): ProcedureDeclaration | null {
  lua.lua_pushglobaltable(L);
  const isFunction = pushField(L, -1, 'main') === lua.LUA_TFUNCTION;
  const body = isFunction ? lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) : null;
  lua.lua_settop(L, 0);
  if (body === null) return null;
  return plainProcedure(body);
}

/** The same for who looks at a file; as it is chosen when it runs, by then global variables have given procedures their names. */
export function mainOf(bridge: Bridge): ProcedureDeclaration | null {
  const procedures = declaredProcedures.of(bridge);
  const tasks = declaredTasks.of(bridge);
  const graph = mainGraph(bridge);
  if (graph !== null) return describedGraph(graph);
  if (procedures.length === 1 && tasks.length === 0) return procedures[0] ?? null;
  return (
    procedures.find(({ name }) => name === 'main') ?? procedures.find(({ name }) => name === null) ?? null
  );
}

/** The graph that is the main part of the file; null: something else is. */
export function mainGraph(bridge: Bridge): GraphDeclaration | null {
  const stated = statedGraph(bridge);
  if (stated !== null) return stated;
  if (declaredProcedures.of(bridge).length > 0 || declaredTasks.of(bridge).length > 0) return null;
  const [graph, ...others] = globalGraphs(bridge);
  return graph === undefined || others.length > 0 ? null : graph;
}
