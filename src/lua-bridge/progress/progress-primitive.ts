import type { JsonValue } from '../../contract/json/json.js';
import { lauxlib, pushJson, setLibrary, type Bridge, type LuaState } from '../kernel/index.js';
import { progress } from './progress.js';

/** `Iterations.current()`, `Iterations.exceeded(n)`: turns that agents took; `Stop.requested()`: `done` was called. */
export function openProgress(bridge: Bridge): void {
  const { L } = bridge;
  setLibrary(L, 'Iterations', {
    current: (thread) => push(thread, progress.of(bridge).turns),
    exceeded: (thread) => push(thread, progress.of(bridge).turns >= lauxlib.luaL_checknumber(thread, 1)),
  });
  setLibrary(L, 'Stop', {
    requested: (thread) => push(thread, progress.of(bridge).stop !== null),
    reason: (thread) => push(thread, progress.of(bridge).stop?.reason ?? null),
    success: (thread) => push(thread, progress.of(bridge).stop?.success ?? true),
  });
}

function push(L: LuaState, value: JsonValue): number {
  pushJson(L, value);
  return 1;
}
