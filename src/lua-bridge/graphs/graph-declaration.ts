import { TactusError } from '../../contract/errors.js';
import {
  DeclaredList,
  globalNameOf,
  handleAt,
  jsonAt,
  lauxlib,
  lua,
  pushField,
  textAt,
  toText,
  valueAt,
  type Bridge,
  type Fields,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import type { ToolDeclaration } from '../tools/tool-declaration.js';
import { reducers, type Reducer } from './reducers.js';

/** A graph that a file declares. */
export interface GraphDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  description: string | null;
  channels: ReadonlyMap<string, Reducer>;
  nodes: ReadonlyMap<string, GraphNode>;
  entrypoint: string;
  maxSteps: number;
}

/** What runs as a node: a function of Lua, by its registry reference, or a tool, which a worker has. */
export type GraphNode = { body: number } | { tool: ToolDeclaration };

export const declaredGraphs = new DeclaredList<GraphDeclaration>();

export function graphNameOf({ L }: Bridge, graph: GraphDeclaration): string {
  return (graph.name ??= globalNameOf(L, graph)) ?? 'graph';
}

const fields = ['name', 'description', 'channels', 'nodes', 'entrypoint', 'max_steps'];
const defaultSteps = 50;
const mostSteps = 1_000_000;

/**
 * Reads `{channels = {…}, nodes = {…}, entrypoint = "…", max_steps = 50}` at `config`.
 * @param tools of the handles of tools
 * @throws TactusError source_invalid naming the field
 */
export function readGraph(bridge: Bridge, L: LuaState, config: number, tools: HandleType): GraphDeclaration {
  const name = textAt(L, config, 'name');
  const what = `Graph${name === null ? '' : ` "${name}"`}`;
  for (const key of keysAt(L, config, what))
    if (!fields.includes(key))
      throw invalid(what, `has the unknown field ${key}; there are ${fields.join(', ')}`);
  const nodes = readNodes(L, config, what, tools);
  const [firstByName] = nodes.keys();
  if (firstByName === undefined)
    throw invalid(what, 'has no nodes: write nodes = { plan = function(state, context) … end }');
  const entrypoint = jsonAt(L, config, 'entrypoint') ?? firstByName;
  if (typeof entrypoint !== 'string' || !nodes.has(entrypoint))
    throw invalid(
      what,
      `needs entrypoint as the name of a node, got ${JSON.stringify(entrypoint)}; there are ${[...nodes.keys()].join(', ')}`,
    );
  const maxSteps = jsonAt(L, config, 'max_steps') ?? defaultSteps;
  if (typeof maxSteps !== 'number' || !Number.isInteger(maxSteps) || maxSteps < 1 || maxSteps > mostSteps)
    throw invalid(
      what,
      `needs max_steps as an integer from 1 to ${mostSteps}, got ${JSON.stringify(maxSteps)}`,
    );
  const description = textAt(L, config, 'description');
  const channels = readChannels(bridge, L, config, what, tools);
  return { name, description, channels, nodes, entrypoint, maxSteps };
}

function invalid(what: string, problem: string): TactusError {
  return new TactusError('source_invalid', `${what} ${problem}`);
}

/** The keys of the table at `index`, in its order. */
function keysAt(L: LuaState, index: number, what: string): string[] {
  const keys: string[] = [];
  lua.lua_checkstack(L, 4);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, index) !== 0) {
    lua.lua_pop(L, 1);
    const key = lua.lua_type(L, -1) === lua.LUA_TSTRING ? toText(L, -1) : null;
    if (key === null || key === '') throw invalid(what, 'has a key that is no name');
    keys.push(key);
  }
  return keys;
}

/** By name: tables of Lua have no order that an author could rely on. */
function readNodes(L: LuaState, config: number, what: string, tools: HandleType): Map<string, GraphNode> {
  const nodes = new Map<string, GraphNode>();
  if (pushField(L, config, 'nodes') !== lua.LUA_TTABLE)
    throw invalid(what, 'needs nodes as a table of functions by their names');
  const table = lua.lua_gettop(L);
  for (const key of keysAt(L, table, `${what}: nodes`).sort()) {
    const isFunction = pushField(L, table, key) === lua.LUA_TFUNCTION;
    const tool = isFunction ? null : toolAt(L, tools);
    if (!isFunction && tool === null)
      throw invalid(what, `needs nodes.${key} as a function, function(state, context) … end, or as a Tool`);
    nodes.set(key, tool === null ? { body: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) } : { tool });
  }
  lua.lua_pop(L, 1);
  return nodes;
}

/** The tool on top of the stack, which it pops where it is one. */
function toolAt(L: LuaState, tools: HandleType): ToolDeclaration | null {
  const tool = handleAt(L, -1, tools) as ToolDeclaration | null;
  if (tool !== null) lua.lua_pop(L, 1);
  return tool;
}

function readChannels(
  bridge: Bridge,
  L: LuaState,
  config: number,
  what: string,
  tools: HandleType,
): Map<string, Reducer> {
  const channels = new Map<string, Reducer>();
  const type = pushField(L, config, 'channels');
  if (type !== lua.LUA_TNIL && type !== lua.LUA_TTABLE)
    throw invalid(what, 'needs channels as a table of reducers by the names of channels');
  if (type === lua.LUA_TTABLE) {
    const table = lua.lua_gettop(L);
    for (const key of keysAt(L, table, `${what}: channels`).sort()) {
      pushField(L, table, key);
      const tool = toolAt(L, tools);
      channels.set(
        key,
        tool === null ? reducerAt(bridge, L, `${what}: channels.${key}`) : { kind: 'tool', tool },
      );
    }
  }
  lua.lua_pop(L, 1);
  return channels;
}

/** The reducer on top of the stack, which it pops; `true` stands for a channel that has none. */
function reducerAt(bridge: Bridge, L: LuaState, what: string): Reducer {
  const value = valueAt(L, -1)?.value;
  const known = reducers.of(bridge).get(value);
  if (known === undefined && lua.lua_type(L, -1) === lua.LUA_TFUNCTION)
    return { kind: 'lua', body: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) };
  lua.lua_pop(L, 1);
  if (known !== undefined) return known;
  if (value === true) return { kind: 'last' };
  throw invalid(
    what,
    'must be Graph.append, Graph.last, Graph.bounded(n), function(current, update) … end, a Tool, or true for a channel that is overwritten',
  );
}

/** What the graph takes as a tool, and as the main part of a file: a value of each channel. */
export function inputFields({ channels }: GraphDeclaration): Fields {
  return Object.fromEntries(
    [...channels].map(([name, { kind }]) => [
      name,
      { type: kind === 'append' ? 'array' : 'any', required: false },
    ]),
  );
}
