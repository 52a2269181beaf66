import { TactusError } from '../../contract/errors.js';
import { lauxlib, lua, pushField, type Bridge } from '../kernel/index.js';
import {
  declaredProcedures,
  procedureNameOf,
  type ProcedureDeclaration,
} from '../procedures/procedure-declaration.js';
import { declaredTasks } from '../tasks/task-declaration.js';

/**
 * The procedure to run: the one called main, else the only one, else the only one without a name. A plain global
 * function `main` counts as one. Beside tasks, a procedure with a name is there for them to call.
 */
export function mainProcedure(bridge: Bridge): ProcedureDeclaration | null {
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
    budget: null,
  };
}

/** The same for who looks at a file; as it is chosen when it runs, by then global variables have given procedures their names. */
export function mainOf(bridge: Bridge): ProcedureDeclaration | null {
  const procedures = declaredProcedures.of(bridge);
  const tasks = declaredTasks.of(bridge);
  if (procedures.length === 1 && tasks.length === 0) return procedures[0] ?? null;
  return (
    procedures.find(({ name }) => name === 'main') ?? procedures.find(({ name }) => name === null) ?? null
  );
}
