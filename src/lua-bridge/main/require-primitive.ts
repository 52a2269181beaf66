import { TactusError } from '../../contract/errors.js';
import { getOwn } from '../../contract/json/json.js';
import {
  lauxlib,
  literal,
  lua,
  native,
  pushField,
  pushHandle,
  seal,
  setField,
  toText,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { builtInTool } from '../tools/built-in-tools.js';
import { builtInNames, isBuiltIn, pushBuiltIn } from '../modules/built-in-modules.js';
import { loadChunk } from '../modules/load-chunk.js';

/**
 * `require("name")`: modules among the files that travel with the run, and the built-in ones. `package.loaded` holds
 * what they returned.
 */
export function openRequire(bridge: Bridge, toolType: HandleType, ask: CFunction): void {
  const { L } = bridge;
  lua.lua_createtable(L, 0, 1);
  lua.lua_createtable(L, 0, 0);
  lua.lua_pushvalue(L, -1);
  const loaded = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  setField(L, -2, 'loaded');
  seal(L, 'the library package is read-only');
  lua.lua_setglobal(L, literal('package'));
  lua.lua_pushcfunction(L, native(bridge, require(bridge, { toolType, ask }, loaded)));
  lua.lua_setglobal(L, literal('require'));
}

/** What built-in modules are made of. */
interface Given {
  toolType: HandleType;
  /** Takes a turn of an agent in which an answer may have any form. */
  ask: CFunction;
}

/** `loaded` is the registry reference of `package.loaded`. */
function require(bridge: Bridge, given: Given, loaded: number): Native {
  const loading = new Set<string>();
  return function* (L) {
    const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('the name of a module expected'));
    lua.lua_settop(L, 1);
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, loaded);
    if (pushField(L, 2, name) !== lua.LUA_TNIL) return 1;
    lua.lua_settop(L, 2);
    if (loading.has(name))
      throw new TactusError('lua_error', `module '${name}' requires itself, directly or through others`);
    loading.add(name);
    try {
      yield* load(bridge, L, name, given);
    } finally {
      loading.delete(name);
    }
    lua.lua_pushvalue(L, -1);
    setField(L, 2, name);
    return 1;
  };
}

/** Leaves what the module gives on the stack: `true` where it gives nothing. */
function* load(
  bridge: Bridge,
  L: LuaState,
  name: string,
  { toolType, ask }: Given,
): Generator<Step, void, unknown> {
  const tool = name.startsWith(toolsFolder) ? builtInTool(bridge, name.slice(toolsFolder.length)) : null;
  if (tool !== null) return pushHandle(L, toolType, tool);
  const file = findFile(bridge, name);
  if (file !== null) loadChunk(L, file, getOwn(bridge.run.source.files, file) ?? '');
  else if (isBuiltIn(bridge, name)) pushBuiltIn(bridge, L, name, ask);
  else throw notFound(bridge, name);
  const isCalled = lua.lua_type(L, -1) === lua.LUA_TFUNCTION;
  if (isCalled) {
    lua.lua_pushvalue(L, 1); // its name, which a module reads as `...`
    yield { call: 1, results: 1 };
  }
  if (lua.lua_isnil(L, -1)) {
    lua.lua_pop(L, 1);
    lua.lua_pushboolean(L, true);
  }
}

const toolsFolder = 'tactus.tools.';

/** The files that a module may be in. */
function candidatesOf({ run: { source } }: Bridge, name: string): string[] {
  const folder = source.entry.slice(0, source.entry.lastIndexOf('/') + 1);
  const path = folder + name.replaceAll('.', '/');
  return [`${path}.tac`, `${path}/init.tac`, `${path}.lua`];
}

function findFile(bridge: Bridge, name: string): string | null {
  return candidatesOf(bridge, name).find((file) => Object.hasOwn(bridge.run.source.files, file)) ?? null;
}

function notFound(bridge: Bridge, name: string): TactusError {
  if (name.startsWith('tactus.'))
    return new TactusError(
      'lua_error',
      `module '${name}' is not there; there are: ${builtInNames(bridge).join(', ')}`,
    );
  const candidates = candidatesOf(bridge, name);
  const misspelt = Object.keys(bridge.run.source.files).find((file) =>
    candidates.some((each) => each.toLowerCase() === file.toLowerCase()),
  );
  const hint = misspelt === undefined ? '' : `; there is ${misspelt}: mind upper and lower case`;
  return new TactusError(
    'lua_error',
    `module '${name}' not found (looked for ${candidates.join(', ')})${hint}`,
  );
}
