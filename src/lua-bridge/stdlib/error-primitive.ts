import {
  bytesOf,
  decodeLossy,
  lauxlib,
  literal,
  lua,
  pushText,
  setField,
  valueAt,
  weighText,
  type Bridge,
  type CFunction,
} from '../kernel/index.js';

/**
 * `Error.code(err)`: the code of an error that was caught, or nil. It is a plain table: a procedure that has an `Error` of its
 * own may replace it, or add to it.
 */
export function openError({ L, scheduler }: Bridge): void {
  const code: CFunction = (thread) => {
    lauxlib.luaL_checkany(thread, 1);
    const bytes = bytesOf(valueAt(thread, 1));
    if (bytes === null) lua.lua_pushnil(thread);
    else {
      weighText(thread, bytes.length);
      const found = scheduler.notes.codeOfText(decodeLossy(bytes));
      if (found === null) lua.lua_pushnil(thread);
      else pushText(thread, found);
    }
    return 1;
  };
  lua.lua_createtable(L, 0, 1);
  lua.lua_pushcfunction(L, code);
  setField(L, -2, 'code');
  lua.lua_setglobal(L, literal('Error'));
}
