import { native, type Bridge } from '../kernel/bridge.js';
import { pushHandle, type HandleType } from '../vm/handle.js';
import { declaredTasks, readTask, type TaskHandles } from './task-declaration.js';
import { lauxlib, literal, lua, toText, type CFunction, type LuaState } from '../vm/fengari.js';
import { includeTasks } from './include-tasks.js';

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
