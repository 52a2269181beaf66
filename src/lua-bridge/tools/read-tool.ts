import { TactusError } from '../../contract/errors.js';
import type { Bridge } from '../kernel/bridge.js';
import { functionAt, functionItem, hasField, jsonAt, textAt } from '../values/config-table.js';
import { readSchema, type Fields } from '../values/schema.js';
import { readHttpTool } from './http-tool.js';
import { readToolOptions } from './tool-options.js';
import { providedAt } from './provided-tool.js';
import { placeOfTool } from './tool-source.js';
import { declaredTools, newTool, type ToolDeclaration } from './tool-declaration.js';
import { lauxlib, lua, type LuaState } from '../vm/fengari.js';

/**
 * Reads the table of a tool at `config`, and declares it. Its function is the table's last item, the field `handler`
 * or `run`, or the argument at `body`; `use = "…"` names one that lives elsewhere, `provider = "…"` one that a provider runs.
 * @throws TactusError source_invalid, lua_error
 */
export function readTool(
  bridge: Bridge,
  L: LuaState,
  name: string | null,
  config: number,
  body: number | null,
  owner: ToolDeclaration['owner'],
): ToolDeclaration {
  const own = name ?? textAt(L, config, 'name');
  const function_ = bodyOf(L, config, body);
  const source = textAt(L, config, 'use') ?? textAt(L, config, 'source');
  const what = `Tool${own === null ? '' : ` "${own}"`}`;
  if (function_ !== null && source !== null)
    throw new TactusError(
      'source_invalid',
      `${what} has a function and use = "${source}"; it can only have one`,
    );
  const http = bridge.holds('outside-tools') ? jsonAt(L, config, 'http') : null;
  if (http !== null && (function_ !== null || source !== null))
    throw new TactusError(
      'source_invalid',
      `${what} has http = …, and a function or use besides; it can only have one`,
    );
  const provided = providedAt(bridge, L, config, what);
  if (provided !== null && (function_ !== null || source !== null || http !== null))
    throw new TactusError(
      'source_invalid',
      `${what} has provider = …, and a function, use or http besides; it can only have one`,
    );
  if (function_ === null && source === null && http === null && provided === null)
    throw new TactusError(
      'lua_error',
      'a tool needs a function: write function(args) … end as its last item',
    );
  const tool = newTool(own, {
    owner,
    description: textAt(L, config, 'description') ?? '',
    input: inputFields(L, config),
    body: function_,
    ...(source === null ? {} : placeOfTool(bridge, source)),
    provided,
    ...(http === null ? {} : { http: readHttpTool(http, what) }),
    ...(bridge.holds('outside-tools') ? { options: readToolOptions(bridge, L, config, what) } : {}),
  });
  declaredTools.add(bridge, tool);
  return tool;
}

/** Whether the table declares a tool, and doesn't only name one. */
export function isToolTable(L: LuaState, config: number): boolean {
  const body = bodyOf(L, config, null);
  if (body === null) return ['use', 'source', 'http', 'provider'].some((field) => hasField(L, config, field));
  lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, body);
  return true;
}

function bodyOf(L: LuaState, config: number, body: number | null): number | null {
  if (body !== null && lua.lua_type(L, body) === lua.LUA_TFUNCTION) {
    lua.lua_pushvalue(L, body);
    return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  }
  return functionItem(L, config) ?? functionAt(L, config, 'handler') ?? functionAt(L, config, 'run');
}

function inputFields(L: LuaState, config: number): Fields {
  const field = hasField(L, config, 'input') ? 'input' : 'parameters';
  const schema = readSchema(jsonAt(L, config, field) ?? [], `Tool: ${field}`);
  if (schema.kind === 'value')
    throw new TactusError('source_invalid', `Tool: ${field} must be a table of fields`);
  return schema.fields;
}
