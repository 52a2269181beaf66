import {
  callingLine,
  countDeclared,
  globalNameOf,
  lauxlib,
  literal,
  lua,
  native,
  pushHandle,
  textAt,
  toText,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { declaredTasks, readTask, type TaskDeclaration, type TaskHandles } from './task-declaration.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { getOwn } from '../../contract/json/json.js';
import { loadChunk } from '../modules/load-chunk.js';

/** What a `TaskFunction` and each of its calls keep until the run ends. */
const closureBytes = 500;

/** `Task "name" {entry = …}`, `name = Task {…}`, `TaskFunction(function)` and `IncludeTasks("file.tac")`. */
export function openTask(bridge: Bridge, procedure: HandleType): void {
  const { L } = bridge;
  const handles: TaskHandles = { task: { name: 'task', index: () => 0 }, procedure };
  const globals: Record<string, CFunction> = {
    Task: declare(bridge, handles),
    TaskFunction: deferred(bridge),
    IncludeTasks: native(bridge, includeTasks(bridge)),
  };
  for (const [name, fn] of Object.entries(globals)) {
    lua.lua_pushcfunction(L, fn);
    lua.lua_setglobal(L, literal(name));
  }
}

function declare(bridge: Bridge, handles: TaskHandles): CFunction {
  const add = (L: LuaState, name: string | null, config: number): number => {
    lauxlib.luaL_checktype(L, config, lua.LUA_TTABLE);
    const task = bridge.scheduler.notes.guard(L, () => readTask(bridge, L, name, config, handles));
    declaredTasks.add(bridge, task);
    pushHandle(L, handles.task, task);
    return 1;
  };
  return (L) => {
    if (lua.lua_type(L, 1) === lua.LUA_TTABLE) return add(L, null, 1);
    const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('a name or a table expected'));
    if (!lua.lua_isnoneornil(L, 2)) return add(L, name, 2);
    lua.lua_pushcfunction(L, (thread) => add(thread, name, 1));
    return 1;
  };
}

/** `clean = TaskFunction(function(args) … end)`: `clean {…}` gives an entry that calls the function with the table. */
function deferred(bridge: Bridge): CFunction {
  const keep = (L: LuaState, index: number): number => {
    bridge.meter.keep(closureBytes);
    lua.lua_pushvalue(L, index);
    return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  };
  return (L) => {
    const type = lua.lua_type(L, 1);
    if (type !== lua.LUA_TFUNCTION && type !== lua.LUA_TUSERDATA)
      return lauxlib.luaL_argerror(L, 1, literal('a function expected'));
    const fn = keep(L, 1);
    lua.lua_pushcfunction(L, (given) => {
      lua.lua_settop(given, 1);
      const args = keep(given, 1);
      const run = native(bridge, function* (thread) {
        lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, fn);
        lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, args);
        yield { call: 1, results: 1 };
        return 1;
      });
      lua.lua_pushcfunction(given, run);
      return 1;
    });
    return 1;
  };
}

/**
 * `IncludeTasks("tasks/docs.tac", "docs")`, or a table with `path` and `namespace`: adds the tasks of another file, as
 * `docs:…` where a namespace is given. The file lies relative to the one that includes it.
 */
function includeTasks(bridge: Bridge): Native {
  const { source } = bridge.run;
  const included = new Set<string>();
  // The innermost file that is being included: what it includes lies beside it.
  let current = source.entry;
  return function* (L) {
    const isTable = lua.lua_type(L, 1) === lua.LUA_TTABLE;
    const given = lua.lua_type(L, 1) === lua.LUA_TSTRING ? toText(L, 1) : null;
    const path = isTable ? textAt(L, 1, 'path') : given;
    const namespace = isTable ? textAt(L, 1, 'namespace') : toText(L, 2);
    if (path === null) return lauxlib.luaL_argerror(L, 1, literal('the name of a file expected'));
    const file = current.slice(0, current.lastIndexOf('/') + 1) + path.replace(/^\.\//, '');
    const text = getOwn(source.files, file);
    const place = callingLine(L);
    const refuse = (code: ErrorCode, problem: string): TactusError =>
      new TactusError(code, `IncludeTasks("${path}"): ${file} ${problem}`, { ...(place ?? {}) });
    if (text === undefined) throw refuse('source_not_found', 'is not among the files of the procedure');
    if (included.has(file) || file === source.entry) throw refuse('source_invalid', 'is included already');
    included.add(file);
    const tasks = declaredTasks.of(bridge);
    const [before, others] = [tasks.length, countDeclared(bridge, declaredTasks)];
    const above = current;
    current = file;
    try {
      loadChunk(L, file, text);
      yield { call: 0, results: 0 };
    } finally {
      current = above;
    }
    if (countDeclared(bridge, declaredTasks) !== others)
      throw refuse(
        'source_invalid',
        'declares more than tasks: put agents, tools and procedures where the tasks are included',
      );
    if (namespace !== null) {
      const children = new Map<string, TaskDeclaration>();
      for (const task of tasks.splice(before)) {
        task.name ??= globalNameOf(L, task);
        if (task.name === null) continue;
        if (children.has(task.name)) throw refuse('source_invalid', `has two tasks ${task.name}`);
        children.set(task.name, task);
      }
      const group = {
        name: namespace,
        description: null,
        entry: null,
        dependsOn: [],
        children,
        isImplied: false,
        place,
      };
      declaredTasks.add(bridge, group);
    }
    return 0;
  };
}
