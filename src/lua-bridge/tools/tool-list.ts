import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/bridge.js';
import { jsonAt, textAt } from '../values/config-table.js';
import { handleAt } from '../vm/handle.js';
import { callableTool } from './callable-tools.js';
import { isToolTable, readTool } from './read-tool.js';
import type { ToolDeclaration } from './tool-declaration.js';
import type { ToolHandles } from './tool-handles.js';
import { readSelection, type ToolReference, type ToolsetDeclaration } from './toolset-declaration.js';
import { lua, pushField, toText, type LuaState } from '../vm/fengari.js';

/**
 * Reads the list in the field `name` of the table at `config`: handles and names of tools and toolsets,
 * `{name = …, include = …}`, and tables that declare a tool of their own, which belongs to `owner`.
 * @throws TactusError source_invalid naming the item
 */
export function toolListAt(
  bridge: Bridge,
  L: LuaState,
  config: number,
  name: string,
  handles: ToolHandles,
  owner: { what: string; name: () => string },
): ToolReference[] {
  const references: ToolReference[] = [];
  if (pushField(L, config, name) === lua.LUA_TTABLE) {
    const list = lua.lua_gettop(L);
    for (let i = 1; lua.lua_rawgeti(L, list, i) !== lua.LUA_TNIL; i++) {
      const reference = referenceAt(bridge, L, handles, owner.name);
      if (reference === null)
        throw new TactusError('source_invalid', `${owner.what}: ${name}[${i}] is no tool and no name of one`);
      references.push(reference);
      lua.lua_settop(L, list);
    }
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
  return references;
}

/** The reference on top of the stack. */
function referenceAt(
  bridge: Bridge,
  L: LuaState,
  handles: ToolHandles,
  owner: () => string,
): ToolReference | null {
  const of = directly(bridge, L, handles);
  if (of !== null) return { of, selection: null };
  if (lua.lua_type(L, -1) !== lua.LUA_TTABLE) return null;
  const table = lua.lua_gettop(L);
  if (isToolTable(L, table))
    return { of: { tool: readTool(bridge, L, null, table, null, owner) }, selection: null };
  const named = textAt(L, table, 'name') ?? textAt(L, table, 'toolset');
  const selection = readSelection(selectionFields(L, table));
  if (named !== null) return { of: { named }, selection };
  lua.lua_rawgeti(L, table, 1);
  const first = directly(bridge, L, handles);
  return first === null ? null : { of: first, selection };
}

function directly(bridge: Bridge, L: LuaState, handles: ToolHandles): ToolReference['of'] | null {
  if (lua.lua_type(L, -1) === lua.LUA_TSTRING) return { named: toText(L, -1) ?? '' };
  const tool = handleAt(L, -1, handles.tool);
  if (tool !== null) return { tool: tool as ToolDeclaration };
  const toolset = handleAt(L, -1, handles.toolset);
  if (toolset !== null) return { toolset: toolset as ToolsetDeclaration };
  const callable = callableTool(bridge, L, lua.lua_gettop(L));
  return callable === null ? null : { tool: callable };
}

/** The fields that select among tools, of the table at `config`. */
export function selectionFields(L: LuaState, config: number): JsonObject {
  const names = ['include', 'exclude', 'prefix', 'rename'];
  const fields = names.map((name) => [name, jsonAt(L, config, name)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== null));
}
