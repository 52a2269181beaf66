import { TactusError } from '../../contract/errors.js';
import {
  handleAt,
  hasField,
  jsonAt,
  lauxlib,
  literal,
  lua,
  native,
  pushHandle,
  pushJson,
  textAt,
  textsOf,
  toText,
  twoSpellings,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { findTools, outsideSources, resolveTools } from './resolve-tools.js';
import { selectionFields, toolListAt, type ToolHandles } from './read-tools.js';
import {
  declaredTools,
  declaredToolsets,
  readApproval,
  toolsetNameOf,
  toolsetOfName,
  type NamedTool,
  type ToolDeclaration,
  type ToolReference,
  type ToolsetDeclaration,
} from './tool-declaration.js';
import { readSelection } from './tool-selection.js';
import { getOwn } from '../../contract/json/json.js';
import { loadChunk } from '../modules/load-chunk.js';

/**
 * `Toolset "n" {tools = {…}}`, `{use = "./f.tac"}`, `{type = "combined", sources = {…}}`; `Toolset.get(name)`,
 * `Toolset.combine(a, b)`, `Toolset.filter(toolset, function(name))`.
 */
export function openToolset(bridge: Bridge, tool: HandleType): ToolHandles {
  const toolset: HandleType = {
    name: 'toolset',
    index: (L, held, key) => {
      if (key !== 'name') return 0;
      pushJson(L, toolsetNameOf(bridge, held as ToolsetDeclaration));
      return 1;
    },
  };
  const handles = { tool, toolset };
  const libraries = twoSpellings(
    'Toolset',
    () => ({
      get: get(bridge, handles),
      combine: combine(bridge, handles),
      filter: native(bridge, filter(bridge, handles)),
    }),
    () => construct(bridge, handles),
  );
  for (const library of libraries) library.open(bridge);
  return handles;
}

function add(bridge: Bridge, L: LuaState, handles: ToolHandles, declared: ToolsetDeclaration): number {
  declaredToolsets.add(bridge, declared);
  pushHandle(L, handles.toolset, declared);
  return 1;
}

function construct(bridge: Bridge, handles: ToolHandles): CFunction {
  const declare = (name: string | null, config: number): CFunction =>
    native(bridge, function* (L) {
      lauxlib.luaL_checktype(L, config, lua.LUA_TTABLE);
      return add(bridge, L, handles, yield* readToolset(bridge, L, name, config, handles));
    });
  return (L) => {
    if (lua.lua_type(L, 2) === lua.LUA_TTABLE) return declare(null, 2)(L);
    const name = toText(L, 2) ?? lauxlib.luaL_argerror(L, 1, literal('a name or a table expected'));
    if (lua.lua_type(L, 3) === lua.LUA_TTABLE) return declare(name, 3)(L);
    lua.lua_pushcfunction(L, declare(name, 1));
    return 1;
  };
}

/** @throws TactusError source_invalid where it says nothing of its tools, or names a file that isn't there */
function* readToolset(
  bridge: Bridge,
  L: LuaState,
  name: string | null,
  config: number,
  handles: ToolHandles,
): Generator<Step, ToolsetDeclaration, unknown> {
  const what = `Toolset${name === null ? '' : ` "${name}"`}`;
  const declared: ToolsetDeclaration = { name, members: [] };
  const owner = { what, name: () => toolsetNameOf(bridge, declared) };
  const use = textAt(L, config, 'use');
  const type = textAt(L, config, 'type');
  const selection = readSelection(selectionFields(L, config));
  const named = (names: readonly string[]): ToolReference[] =>
    names.map((each) => ({ of: { named: each }, selection: null }));
  const source = textAt(L, config, 'source');
  const server = textAt(L, config, 'server') ?? source;
  let members = toolListAt(bridge, L, config, 'tools', handles, owner);
  if (use?.endsWith('.tac') === true) members = yield* toolsOfFile(bridge, L, use, handles.tool);
  else if (use !== null) members = named([use]);
  else if (type === 'combined') members = named(textsOf(jsonAt(L, config, 'sources')) ?? []);
  else if (type === 'filtered' && source !== null) members = named([source]);
  else if (type === 'mcp' && server !== null && bridge.holds('outside-tools'))
    members = named([`mcp.${server}`]);
  else if (type === 'mcp' || type === 'plugin') members = named([type]);
  else if (!hasField(L, config, 'tools'))
    throw new TactusError(
      'source_invalid',
      `${what} says nothing of its tools: write tools = {…} or use = "./file.tac"`,
    );
  const inner: ToolsetDeclaration = { name: null, members };
  const approval = bridge.holds('toolset-approval')
    ? readApproval(jsonAt(L, config, 'approval'), `${what}: approval`)
    : null;
  if (approval !== null) declared.approval = approval;
  declared.members = selection === null ? members : [{ of: { toolset: inner }, selection }];
  return declared;
}

function referencesOf(L: LuaState, index: number, handles: ToolHandles): ToolReference {
  const toolset = handleAt(L, index, handles.toolset);
  if (toolset !== null) return { of: { toolset: toolset as ToolsetDeclaration }, selection: null };
  const tool = handleAt(L, index, handles.tool);
  if (tool !== null) return { of: { tool: tool as ToolDeclaration }, selection: null };
  return lauxlib.luaL_argerror(L, index, literal('a toolset expected'));
}

function get(bridge: Bridge, handles: ToolHandles): CFunction {
  return (L) => {
    const given = lua.lua_type(L, 1) === lua.LUA_TSTRING ? toText(L, 1) : null;
    const name = given ?? lauxlib.luaL_argerror(L, 1, literal('the name of a toolset expected'));
    const known = toolsetOfName(bridge, name);
    if (known === null) {
      // A tool is a toolset of one.
      const members: ToolReference[] = [{ of: { named: name }, selection: null }];
      // What is outside is looked for when it is needed.
      if (outsideSources(bridge, members).length === 0)
        bridge.scheduler.notes.guard(L, () => resolveTools(bridge, members));
      return add(bridge, L, handles, { name: null, members });
    }
    pushHandle(L, handles.toolset, known);
    return 1;
  };
}

function combine(bridge: Bridge, handles: ToolHandles): CFunction {
  return (L) => {
    const members: ToolReference[] = [];
    for (let i = 1; i <= lua.lua_gettop(L); i++) members.push(referencesOf(L, i, handles));
    return add(bridge, L, handles, { name: null, members });
  };
}

/** A tool with what was said of it where it was found. */
function withWords({ tool, rules = [], guidance = [] }: NamedTool): ToolReference {
  const words = [...rules.map((approval) => ({ approval })), ...guidance.map((each) => ({ guidance: each }))];
  return words.reduce<ToolReference>(
    (member, each) => ({ of: { toolset: { name: null, members: [member], ...each } }, selection: null }),
    { of: { tool }, selection: null },
  );
}

/** Asks the function for each tool's name, there and then. */
function filter(bridge: Bridge, handles: ToolHandles): Native {
  return function* (L) {
    const source = referencesOf(L, 1, handles);
    lauxlib.luaL_checktype(L, 2, lua.LUA_TFUNCTION);
    const members: ToolReference[] = [];
    for (const found of yield* findTools(bridge, L, [source])) {
      lua.lua_pushvalue(L, 2);
      pushJson(L, found.name);
      yield { call: 1, results: 1 };
      if (lua.lua_toboolean(L, -1)) members.push(withWords(found));
      lua.lua_pop(L, 1);
    }
    return add(bridge, L, handles, { name: null, members });
  };
}

/**
 * The tools that another file declares, or returns: one, or a table of them by name.
 * @throws TactusError source_not_found where the file doesn't travel with the run
 */
function* toolsOfFile(
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
