import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  functionAt,
  functionItem,
  handleAt,
  hasField,
  jsonAt,
  lauxlib,
  literal,
  lua,
  native,
  PerRun,
  pushField,
  pushJson,
  readSchema,
  textAt,
  toJson,
  toText,
  typedHandleAt,
  type Bridge,
  type Fields,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import {
  declaredTools,
  newTool,
  readToolOptions,
  type ToolDeclaration,
  type ToolReference,
  type ToolsetDeclaration,
} from './tool-declaration.js';
import { readSelection } from './tool-selection.js';
import { readHttpTool } from './http-tool.js';
import { placeOfTool } from './tool-source.js';
import { providerSource, providerToolProblem, runnerOf } from '../../contract/models/provider-tool.js';

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

/** The handles by which Lua holds tools and toolsets. */
export interface ToolHandles {
  tool: HandleType;
  toolset: HandleType;
}

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
  if (tool.options.isTransaction === true && function_ === null)
    throw new TactusError(
      'source_invalid',
      `${what} has transaction = true and no function: what is done outside of the procedure can't be taken back`,
    );
  declaredTools.add(bridge, tool);
  return tool;
}

/** Whether the table declares a tool, and doesn't only name one. */
function isToolTable(L: LuaState, config: number): boolean {
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

/**
 * What the table of a tool says of the provider that runs it: `provider = "openai.web_search"`; null where it names none.
 * @throws TactusError source_invalid where no provider has such a tool, or it isn't set up so
 */
function providedAt(bridge: Bridge, L: LuaState, config: number, what: string): ToolDeclaration['provided'] {
  const written = bridge.holds('call-options') ? textAt(L, config, 'provider') : null;
  if (written === null) return null;
  const source = providerSource(written);
  const args = settingsOf(jsonAt(L, config, 'args'));
  const problem =
    args === null ? 'args must be a table of settings by their names' : providerToolProblem(source, args);
  if (args === null || problem !== null) throw new TactusError('source_invalid', `${what}: ${problem}`);
  return { source, args };
}

/** A table without fields is a list to Lua. */
function settingsOf(given: JsonValue): JsonObject | null {
  if (given === null || (Array.isArray(given) && given.length === 0)) return {};
  return isObject(given) ? given : null;
}

/** What calls such a tool from within the run is told. */
export function providedToolError(name: string, source: string): TactusError {
  return new TactusError(
    'tool_failed',
    `${name} can't be called: ${runnerOf(source)} runs it itself, in turns of agents that have it`,
  );
}

/** How something that can be called, an agent or a procedure, is called as a tool. */
interface AsTool {
  name: () => string;
  description: string;
  input: Fields;
  /** What it is called with, of the arguments of the tool. */
  argument: (args: JsonObject) => JsonValue;
  /** Field of what it gives that is the tool's result; null: all of it. */
  result: string | null;
}

/** What says of the objects behind handles of a type how they are called; told by the primitives that make them. */
export const callables = new PerRun(() => new Map<HandleType, (held: object) => AsTool>(), 'declared');

const known = new PerRun(() => new Map<object, ToolDeclaration>(), 'declared');

/** The agent or procedure whose handle is at `index`, as a tool: the same one each time; null where there is none. */
function callableTool(bridge: Bridge, L: LuaState, index: number): ToolDeclaration | null {
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
  declaredTools.add(bridge, tool, true);
  return tool;
}
