import { TactusError } from '../../contract/errors.js';
import { getOwn } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/bridge.js';
import { handleAt, type HandleType } from '../vm/handle.js';
import type { Step } from '../scheduler/native.js';
import { loadChunk } from '../modules/load-chunk.js';
import { declaredTools, type ToolDeclaration } from './tool-declaration.js';
import type { ToolReference } from './toolset-declaration.js';
import { lua, toText, type LuaState } from '../vm/fengari.js';

/**
 * The tools that another file declares, or returns: one, or a table of them by name.
 * @throws TactusError source_not_found where the file doesn't travel with the run
 */
export function* toolsOfFile(
  bridge: Bridge,
  L: LuaState,
  use: string,
  type: HandleType,
): Generator<Step, ToolReference[], unknown> {
  const { source } = bridge.run;
  const file = source.entry.slice(0, source.entry.lastIndexOf('/') + 1) + use.replace(/^\.\//, '');
  const text = getOwn(source.files, file);
  if (text === undefined)
    throw new TactusError(
      'source_not_found',
      `use = "${use}": ${file} is not among the files of the procedure`,
    );
  const known = declaredTools.of(bridge);
  const before = known.length;
  loadChunk(L, file, text);
  yield { call: 0, results: 1 };
  const returned = handleAt(L, -1, type) as ToolDeclaration | null;
  const tools = returned === null ? namedTools(L, type) : [returned];
  lua.lua_pop(L, 1);
  return [...new Set([...known.slice(before), ...tools])].map((tool) => ({
    of: { tool },
    selection: null,
  }));
}

/** The tools in the table on top; those without a name get that of their key. */
function namedTools(L: LuaState, type: HandleType): ToolDeclaration[] {
  const tools: ToolDeclaration[] = [];
  if (lua.lua_type(L, -1) !== lua.LUA_TTABLE) return tools;
  lua.lua_pushnil(L);
  while (lua.lua_next(L, -2)) {
    const tool = handleAt(L, -1, type) as ToolDeclaration | null;
    if (tool !== null) {
      if (lua.lua_type(L, -2) === lua.LUA_TSTRING) tool.name ??= toText(L, -2);
      tools.push(tool);
    }
    lua.lua_pop(L, 1);
  }
  return tools;
}
