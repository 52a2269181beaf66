import type { JsonValue } from '../../contract/json/json.js';
import {
  handleAt,
  lauxlib,
  literal,
  lua,
  native,
  PerRun,
  pushHandle,
  pushJson,
  pushResult,
  toJson,
  toText,
  twoSpellings,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import { builtInTool } from './built-in-tools.js';
import { readTool } from './read-tools.js';
import { findTools, unknownTool } from './resolve-tools.js';
import { callTool } from './tool-call.js';
import { declaredTools, toolNameOf, toolOfName, type ToolDeclaration } from './tool-declaration.js';

/**
 * `t = Tool {description, input, function(args)}`, `tool("t", {…}, function)`; `t(args)`, `t.called()` and its like;
 * `Tool("t")`, `Tool.get("t")`, `Tool.called("t")`, `Tool.reset()`.
 */
export function openTool(bridge: Bridge): HandleType {
  for (const library of libraries) library.open(bridge);
  return toolType.of(bridge);
}

const toolType = new PerRun((bridge): HandleType => {
  const type: HandleType = { name: 'tool', index: () => 0 };
  type.call = native(bridge, function* (L) {
    const tool = handleAt(L, 1, type) as ToolDeclaration;
    const args: JsonValue = lua.lua_isnoneornil(L, 2) ? {} : toJson(L, 2);
    const [named] = yield* findTools(bridge, L, [{ of: { tool }, selection: null }]);
    if (named !== undefined) pushJson(L, yield* callTool(bridge, L, named, args));
    return 1;
  });
  type.index = (L, held, key) => {
    const tool = held as ToolDeclaration;
    if (key === 'name') {
      pushJson(L, toolNameOf(bridge, tool));
      return 1;
    }
    const method = Object.hasOwn(methods, key) ? methods[key] : undefined;
    if (method === undefined) return 0;
    lua.lua_pushcfunction(L, (thread) => method(thread, tool));
    return 1;
  };
  return type;
}, 'declared');

const get =
  (bridge: Bridge): CFunction =>
  (L) => {
    const name = nameAt(L, 1);
    const tool = toolOfName(bridge, name) ?? builtInTool(bridge, name);
    pushHandle(L, toolType.of(bridge), tool ?? bridge.scheduler.notes.raise(L, unknownTool(name)));
    return 1;
  };

const libraries = twoSpellings(
  'Tool',
  (bridge) => ({ ...byName(bridge), get: get(bridge) }),
  (bridge, isLowerCase) => construct(bridge, toolType.of(bridge), isLowerCase ? null : get(bridge)),
);

/** A tool that nobody has declared was not called: a file may ask about tools that its agents were never given. */
function byName(bridge: Bridge): Record<string, CFunction> {
  const functions = Object.entries(methods).map(([name, method]): [string, CFunction] => [
    name,
    (L) => method(L, toolOfName(bridge, nameAt(L, 1))),
  ]);
  const reset: CFunction = (L) => {
    const tool = lua.lua_isnoneornil(L, 1) ? null : toolOfName(bridge, nameAt(L, 1));
    for (const each of lua.lua_isnoneornil(L, 1) ? declaredTools.of(bridge) : [tool])
      methods['reset']?.(L, each);
    return 0;
  };
  return { ...Object.fromEntries(functions), reset };
}

function nameAt(L: LuaState, index: number): string {
  const name = lua.lua_type(L, index) === lua.LUA_TSTRING ? toText(L, index) : null;
  return name ?? lauxlib.luaL_argerror(L, index, literal('the name of a tool expected'));
}

const methods: Record<string, (L: LuaState, tool: ToolDeclaration | null) => number> = {
  called: (L, tool) => pushResult(L, tool !== null && tool.calls.count > 0),
  call_count: (L, tool) => pushResult(L, tool?.calls.count ?? 0),
  last_call: (L, tool) => pushResult(L, tool?.calls.last ?? null),
  last_result: (L, tool) => pushResult(L, tool?.calls.last?.result ?? null),
  reset: (_L, tool) => {
    if (tool !== null) Object.assign(tool.calls, { count: 0, last: null });
    return 0;
  },
};

/** With a table it declares; with a name alone it finds (`Tool`), or waits for the table (`tool "name" {…}`). */
function construct(bridge: Bridge, type: HandleType, find: CFunction | null): CFunction {
  const add = (L: LuaState, name: string | null, config: number): number => {
    lauxlib.luaL_checktype(L, config, lua.LUA_TTABLE);
    const tool = bridge.scheduler.notes.guard(L, () => readTool(bridge, L, name, config, config + 1, null));
    pushHandle(L, type, tool);
    return 1;
  };
  return (L) => {
    if (lua.lua_type(L, 2) === lua.LUA_TTABLE) return add(L, null, 2);
    const name = nameAt(L, 2);
    if (lua.lua_type(L, 3) === lua.LUA_TTABLE) return add(L, name, 3);
    lua.lua_remove(L, 1);
    if (find !== null) return find(L);
    lua.lua_pushcfunction(L, (thread) => add(thread, name, 1));
    return 1;
  };
}
