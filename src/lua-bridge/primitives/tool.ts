import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { native, type Bridge } from '../bridge.js';
import { globalNameOf, handleAt, pushHandle, setLibrary, type HandleType } from '../handle.js';
import { pushJson, toJson } from '../marshal.js';
import { readSchema, type Fields } from '../schema.js';
import { callTool } from '../tool-call.js';
import type { ToolDeclaration } from '../tool-declaration.js';
import { lauxlib, literal, lua, pushField, toText, type CFunction, type LuaState } from '../vm/fengari.js';

/** `t = Tool {description, input, function(args)}`; `t(args)`, `t.called()` and its like; `Tool("t")`, `Tool.called("t")`. */
export function openTool(bridge: Bridge): HandleType {
  const type: HandleType = { name: 'tool', index: () => 0 };
  type.call = native(bridge, function* (L) {
    const tool = handleAt(L, 1, type) as ToolDeclaration;
    const args: JsonValue = lua.lua_isnoneornil(L, 2) ? {} : toJson(L, 2);
    pushJson(L, yield* callTool(bridge, L, tool, toolNameOf(bridge, tool), args));
    return 1;
  });
  const methods = methodsOf();
  type.index = (L, held, key) => {
    const method = Object.hasOwn(methods, key) ? methods[key] : undefined;
    if (method === undefined) return 0;
    lua.lua_pushcfunction(L, (thread) => method(thread, held as ToolDeclaration));
    return 1;
  };
  const find = (L: LuaState, index: number): ToolDeclaration => findTool(bridge, L, index);
  const byName = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, (L: LuaState) => method(L, find(L, 1))]),
  );
  const get: CFunction = (L) => {
    pushHandle(L, type, find(L, 1));
    return 1;
  };
  setLibrary(bridge.L, 'Tool', { ...byName, get }, (L) => {
    if (lua.lua_type(L, 2) === lua.LUA_TSTRING && lua.lua_type(L, 3) !== lua.LUA_TTABLE)
      pushHandle(L, type, find(L, 2));
    else pushHandle(L, type, declare(bridge, L));
    return 1;
  });
  return type;
}

export function toolNameOf(bridge: Bridge, tool: ToolDeclaration): string {
  tool.name ??= globalNameOf(bridge.L, tool);
  return tool.name ?? 'tool';
}

function findTool(bridge: Bridge, L: LuaState, index: number): ToolDeclaration {
  const name = toText(L, index) ?? lauxlib.luaL_argerror(L, index, literal('the name of a tool expected'));
  const tool = (bridge.declared.tools as ToolDeclaration[]).find((each) => toolNameOf(bridge, each) === name);
  return tool ?? bridge.scheduler.notes.raise(L, new TactusError('tool_failed', `unknown tool '${name}'`));
}

function methodsOf(): Record<string, (L: LuaState, tool: ToolDeclaration) => number> {
  const push = (L: LuaState, value: JsonValue): number => {
    pushJson(L, value);
    return 1;
  };
  return {
    called: (L, tool) => push(L, tool.calls.length > 0),
    call_count: (L, tool) => push(L, tool.calls.length),
    last_call: (L, tool) => push(L, tool.calls.at(-1) ?? null),
    last_result: (L, tool) => push(L, tool.calls.at(-1)?.result ?? null),
    reset: (_L, tool) => {
      tool.calls.length = 0;
      return 0;
    },
  };
}

function declare(bridge: Bridge, L: LuaState): ToolDeclaration {
  const named = lua.lua_type(L, 2) === lua.LUA_TSTRING ? toText(L, 2) : null;
  const config = named === null ? 2 : 3;
  lauxlib.luaL_checktype(L, config, lua.LUA_TTABLE);
  const tool: ToolDeclaration = {
    name: named ?? textField(L, config, 'name'),
    description: textField(L, config, 'description') ?? '',
    input: bridge.scheduler.notes.guard(L, () => inputFields(L, config)),
    body: handlerOf(L, config),
    answer: null,
    calls: [],
  };
  bridge.declared.add(bridge.declared.tools, tool);
  return tool;
}

function textField(L: LuaState, config: number, name: string): string | null {
  const type = pushField(L, config, name);
  const text = type === lua.LUA_TSTRING ? toText(L, -1) : null;
  lua.lua_pop(L, 1);
  return text;
}

function inputFields(L: LuaState, config: number): Fields {
  const type = pushField(L, config, 'input');
  const declared = type === lua.LUA_TNIL ? [] : toJson(L, -1);
  lua.lua_pop(L, 1);
  const schema = readSchema(declared, 'Tool: input');
  if (schema.kind === 'value')
    throw new TactusError('source_invalid', 'Tool: input must be a table of fields');
  return schema.fields;
}

function handlerOf(L: LuaState, config: number): number {
  for (let i = 1; lua.lua_rawgeti(L, config, i) !== lua.LUA_TNIL; i++) {
    if (lua.lua_type(L, -1) === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
  for (const name of ['handler', 'run']) {
    if (pushField(L, config, name) === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    lua.lua_pop(L, 1);
  }
  return lauxlib.luaL_argerror(
    L,
    1,
    literal('a tool needs a function: write function(args) … end as its last item'),
  );
}
