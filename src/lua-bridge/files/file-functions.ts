import { TactusError } from '../../contract/errors.js';
import type { FileEffect } from '../../contract/files/file-effect.js';
import type { DataFormat } from '../../contract/files/data-file.js';
import type { DataFileEffect } from '../../contract/files/data-file-effect.js';
import { utf8Length, type JsonValue } from '../../contract/json/json.js';
import {
  keepBeforeChange,
  lauxlib,
  literal,
  lua,
  native,
  pushJson,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type LuaState,
  type Native,
} from '../kernel/index.js';

/** What procedures do with files. */
type Operation = Exclude<FileEffect['operation'], 'keep' | 'restore' | 'forget'>;

const changing: readonly string[] = ['write', 'append', 'delete'];

/** What reads and writes files whose paths begin in a folder; null: where all files are. */
export function fileFunctions(bridge: Bridge, folder: string | null): Record<Operation, CFunction> {
  const of = (kind: Operation): CFunction => native(bridge, operation(bridge, kind, folder));
  return {
    ...{ read: of('read'), write: of('write'), append: of('append'), exists: of('exists') },
    ...{ size: of('size'), list: of('list'), delete: of('delete') },
  };
}

function operation(bridge: Bridge, kind: Operation, folder: string | null): Native {
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
    if (changing.includes(kind)) yield* keepBeforeChange(bridge, L, placeOf(path, folder));
    pushJson(L, (yield { effect: { type: 'file', name: `${kind} ${path}`, effect } }) as JsonValue);
    return 1;
  };
}

function placeOf(path: string, folder: string | null): Pick<FileEffect, 'path' | 'folder'> {
  return folder === null ? { path } : { path, folder };
}

function notText(L: Bridge['L']): never {
  return lauxlib.luaL_argerror(L, 2, literal('UTF-8 text expected'));
}

/** What modules of `tactus.io` read and write files of data by: `(operation, path, part, data)`. */
export function dataFileFunction(bridge: Bridge, format: DataFormat): CFunction {
  const { folder } = bridge.run;
  return native(bridge, function* (L) {
    const operation = toText(L, 1) as DataFileEffect['operation'];
    const path = textAt(L, 2, 'a file name expected');
    const effect: DataFileEffect = { kind: 'data_file', format, operation, path };
    if (!lua.lua_isnoneornil(L, 3)) effect.part = textAt(L, 3, 'a name expected');
    if (folder !== null) effect.folder = folder;
    if (operation === 'write') {
      effect.data = toJson(L, 4);
      if (utf8Length(JSON.stringify(effect.data)) > bridge.limits.payloadBytes)
        throw new TactusError(
          'payload_too_large',
          `${path}: what is written would have more than ${bridge.limits.payloadBytes} bytes`,
        );
    }
    if (operation === 'write') yield* keepBeforeChange(bridge, L, placeOf(path, folder));
    pushJson(L, (yield { effect: { type: 'file', name: `${operation} ${path}`, effect } }) as JsonValue);
    return 1;
  });
}

function textAt(L: LuaState, index: number, expected: string): string {
  return toText(L, index) ?? lauxlib.luaL_argerror(L, index, literal(expected));
}
