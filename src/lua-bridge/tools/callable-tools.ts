import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { PerRun } from '../kernel/per-run.js';
import { pushJson, toJson } from '../values/marshal.js';
import type { Fields } from '../values/schema.js';
import { typedHandleAt, type HandleType } from '../vm/handle.js';
import { lauxlib, literal, lua, type LuaState } from '../vm/fengari.js';
import { declaredTools, newTool, type ToolDeclaration } from './tool-declaration.js';

/** How something that can be called, an agent or a procedure, is called as a tool. */
export interface AsTool {
  name: () => string;
  description: string;
  input: Fields;
  /** What it is called with, of the arguments of the tool. */
  argument: (args: JsonObject) => JsonValue;
  /** Field of what it gives that is the tool's result; null: all of it. */
  result: string | null;
}

/** What says of the objects behind handles of a type how they are called; told by the primitives that make them. */
export const callables = new PerRun(() => new Map<HandleType, (held: object) => AsTool>());

const known = new PerRun(() => new Map<object, ToolDeclaration>());

/** The agent or procedure whose handle is at `index`, as a tool: the same one each time; null where there is none. */
export function callableTool(bridge: Bridge, L: LuaState, index: number): ToolDeclaration | null {
  const handle = typedHandleAt(L, index);
  const describe = handle === null ? undefined : callables.of(bridge).get(handle.type);
  if (handle === null || describe === undefined) return null;
  const before = known.of(bridge).get(handle.held);
  if (before !== undefined) return before;
  const { name, description, input, argument, result } = describe(handle.held);
  lua.lua_pushvalue(L, index);
  const reference = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  const call = native(bridge, function* (thread) {
    const args = toJson(thread, 1, bridge.limits.depth);
    lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, reference);
    pushJson(thread, argument(isObject(args) ? args : {}));
    yield { call: 1, results: 1 };
    if (result !== null) lua.lua_getfield(thread, -1, literal(result));
    return 1;
  });
  lua.lua_pushcfunction(L, call);
  const tool = newTool(null, {
    naming: name,
    description,
    input,
    body: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX),
  });
  known.of(bridge).set(handle.held, tool);
  declaredTools.add(bridge, tool);
  return tool;
}
