import { maxSourceBytes } from '../../contract/limits.js';
import { TactusError } from '../../contract/errors.js';
import { getOwn, utf8Length } from '../../contract/json.js';
import { native, type Bridge } from '../bridge.js';
import { pushHandle, type HandleType } from '../handle.js';
import type { Native } from '../native.js';
import { doneTool } from '../tool-declaration.js';
import { errorText } from '../lua-error.js';
import { encodeUtf8 } from '../vm/text.js';
import { lauxlib, literal, lua, toText, type LuaState } from '../vm/fengari.js';

/** `require("name")`: modules among the files that travel with the run, and the built-in ones. */
export function openRequire(bridge: Bridge, toolType: HandleType): void {
  lua.lua_pushcfunction(bridge.L, native(bridge, load(bridge, toolType)));
  lua.lua_setglobal(bridge.L, literal('require'));
}

function load(bridge: Bridge, toolType: HandleType): Native {
  /** Registry references of loaded modules; null while one is loading. */
  const loaded = new Map<string, number | null>();
  return function* (L) {
    const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('the name of a module expected'));
    const known = loaded.get(name);
    if (known === null)
      throw new TactusError('lua_error', `module '${name}' requires itself, directly or through others`);
    if (known !== undefined) {
      lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, known);
      return 1;
    }
    if (name === 'tactus.tools.done') {
      const tool = doneTool();
      bridge.declared.add(bridge.declared.tools, tool);
      pushHandle(L, toolType, tool);
    } else {
      const file = findModule(bridge, name);
      loadChunk(L, file, getOwn(bridge.source.files, file) ?? '');
      loaded.set(name, null);
      try {
        yield { call: 0, results: 1 };
      } catch (error) {
        loaded.delete(name);
        throw error;
      }
      if (lua.lua_isnil(L, -1)) lua.lua_pushboolean(L, true);
    }
    lua.lua_pushvalue(L, -1);
    loaded.set(name, lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX));
    return 1;
  };
}

/** @throws TactusError lua_error with the files that were looked for */
function findModule(bridge: Bridge, name: string): string {
  const folder = bridge.source.entry.slice(0, bridge.source.entry.lastIndexOf('/') + 1);
  const path = folder + name.replaceAll('.', '/');
  const candidates = [`${path}.tac`, `${path}/init.tac`, `${path}.lua`];
  const found = candidates.find((file) => Object.hasOwn(bridge.source.files, file));
  if (found !== undefined) return found;
  const misspelt = Object.keys(bridge.source.files).find((file) =>
    candidates.some((each) => each.toLowerCase() === file.toLowerCase()),
  );
  const hint = misspelt === undefined ? '' : `; there is ${misspelt}: mind upper and lower case`;
  throw new TactusError(
    'lua_error',
    `module '${name}' not found (looked for ${candidates.join(', ')})${hint}`,
  );
}

/**
 * Pushes the compiled file. Its name in messages is the file's own.
 * @throws TactusError source_invalid with file and line
 */
export function loadChunk(L: LuaState, file: string, text: string): void {
  if (utf8Length(text) > maxSourceBytes)
    throw new TactusError('source_invalid', `${file} is larger than ${maxSourceBytes} bytes`);
  // A byte order mark and a first line for the shell are no Lua; the line stays, so that numbers fit.
  const bytes = encodeUtf8(text.replace(/^\ufeff/, '').replace(/^#/, '--#'));
  const shown = file.slice(file.lastIndexOf('/') + 1).replace(/[\n\r]/g, ' ');
  if (lauxlib.luaL_loadbufferx(L, bytes, bytes.length, encodeUtf8(`=${shown}`), literal('t')) === lua.LUA_OK)
    return;
  const message = errorText(L, -1);
  lua.lua_pop(L, 1);
  const at = /^(.*?):(\d+):/.exec(message);
  throw new TactusError(
    'source_invalid',
    message,
    at === null ? { file: shown } : { file: at[1] ?? shown, line: Number(at[2]) },
  );
}
