import type { DataFormat } from '../../contract/files/data-file.js';
import type { DataFileEffect } from '../../contract/files/data-file-effect.js';
import { TactusError } from '../../contract/errors.js';
import { utf8Length } from '../../contract/json/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { pushJson, toJson } from '../values/marshal.js';
import { lauxlib, literal, lua, toText, type CFunction, type LuaState } from '../vm/fengari.js';

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
    pushJson(L, (yield { effect: { type: 'file', name: `${operation} ${path}`, effect } }) as never);
    return 1;
  });
}

function textAt(L: LuaState, index: number, expected: string): string {
  return toText(L, index) ?? lauxlib.luaL_argerror(L, index, literal(expected));
}
