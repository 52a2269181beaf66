import { TactusError } from '../../contract/errors.js';
import type { FileEffect } from '../../contract/files/file-effect.js';
import { utf8Length } from '../../contract/json/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { pushJson } from '../values/marshal.js';
import type { Native } from '../scheduler/native.js';
import { lauxlib, literal, lua, toText, type CFunction } from '../vm/fengari.js';

/** What reads and writes files whose paths begin in a folder; null: where all files are. */
export function fileFunctions(
  bridge: Bridge,
  folder: string | null,
): Record<FileEffect['operation'], CFunction> {
  const of = (kind: FileEffect['operation']): CFunction => native(bridge, operation(bridge, kind, folder));
  return {
    ...{ read: of('read'), write: of('write'), append: of('append'), exists: of('exists') },
    ...{ size: of('size'), list: of('list'), delete: of('delete') },
  };
}

function operation(bridge: Bridge, kind: FileEffect['operation'], folder: string | null): Native {
  return function* (L) {
    const isOwnFolder = kind === 'list' && lua.lua_isnoneornil(L, 1);
    const given = isOwnFolder ? '.' : toText(L, 1);
    const path = given ?? lauxlib.luaL_argerror(L, 1, literal('a file name expected'));
    const effect: FileEffect = { kind: 'file', operation: kind, path };
    if (folder !== null) effect.folder = folder;
    if (kind === 'write' || kind === 'append') {
      effect.content = lua.lua_type(L, 2) === lua.LUA_TNIL ? '' : (toText(L, 2) ?? notText(L));
      if (utf8Length(effect.content) > bridge.limits.payloadBytes)
        throw new TactusError(
          'payload_too_large',
          `File.${kind}: ${path} would have more than ${bridge.limits.payloadBytes} bytes`,
        );
    }
    pushJson(L, (yield { effect: { type: 'file', name: `${kind} ${path}`, effect } }) as never);
    return 1;
  };
}

function notText(L: Bridge['L']): never {
  return lauxlib.luaL_argerror(L, 2, literal('UTF-8 text expected'));
}
