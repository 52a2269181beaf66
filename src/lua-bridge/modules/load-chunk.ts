import { TactusError } from '../../contract/errors.js';
import { utf8Length } from '../../contract/json/json.js';
import { maxSourceBytes } from '../../contract/runs/limits.js';
import { encodeUtf8, errorText, lauxlib, literal, lua, type LuaState } from '../kernel/index.js';

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
