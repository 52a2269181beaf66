import { TactusError } from '../../contract/errors.js';
import type { Effect } from '../../contract/effects.js';
import { utf8Length } from '../../contract/json.js';
import { native, type Bridge } from '../bridge.js';
import { setLibrary } from '../handle.js';
import { pushJson } from '../marshal.js';
import type { Native } from '../native.js';
import { lauxlib, literal, lua, toText } from '../vm/fengari.js';

type Operation = Extract<Effect, { kind: 'file' }>['operation'];

/** `File.read`, `write`, `exists`, `size`: files of the worker, read once and replayed from the log. */
export function openFile(bridge: Bridge): void {
  setLibrary(bridge.L, 'File', {
    read: native(bridge, operation(bridge, 'read')),
    write: native(bridge, operation(bridge, 'write')),
    exists: native(bridge, operation(bridge, 'exists')),
    size: native(bridge, operation(bridge, 'size')),
  });
}

function operation(bridge: Bridge, kind: Operation): Native {
  return function* (L) {
    const path = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('a file name expected'));
    const effect: Effect = { kind: 'file', operation: kind, path };
    if (kind === 'write') {
      effect.content = lua.lua_type(L, 2) === lua.LUA_TNIL ? '' : (toText(L, 2) ?? notText(L));
      if (utf8Length(effect.content) > bridge.limits.payloadBytes)
        throw new TactusError(
          'payload_too_large',
          `File.write: ${path} would have more than ${bridge.limits.payloadBytes} bytes`,
        );
    }
    pushJson(L, (yield { effect: { type: 'file', name: `${kind} ${path}`, effect } }) as never);
    return 1;
  };
}

function notText(L: Bridge['L']): never {
  return lauxlib.luaL_argerror(L, 2, literal('UTF-8 text expected'));
}
