import type { JsonValue } from '../../contract/json.js';
import type { Bridge } from '../bridge.js';
import { setLibrary } from '../handle.js';
import { pushJson } from '../marshal.js';
import { lauxlib, type LuaState } from '../vm/fengari.js';

/** `Iterations.current()`, `Iterations.exceeded(n)`: turns that agents took; `Stop.requested()`: `done` was called. */
export function openProgress({ L, progress }: Bridge): void {
  setLibrary(L, 'Iterations', {
    current: (thread) => push(thread, progress.turns),
    exceeded: (thread) => push(thread, progress.turns >= lauxlib.luaL_checknumber(thread, 1)),
  });
  setLibrary(L, 'Stop', {
    requested: (thread) => push(thread, progress.stop !== null),
    reason: (thread) => push(thread, progress.stop?.reason ?? null),
    success: (thread) => push(thread, progress.stop?.success ?? true),
  });
}

function push(L: LuaState, value: JsonValue): number {
  pushJson(L, value);
  return 1;
}
