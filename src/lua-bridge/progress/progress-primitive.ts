import { lauxlib, pushResult, setLibrary, type Bridge } from '../kernel/index.js';
import { progress } from './progress.js';

/** `Iterations.current()`, `Iterations.exceeded(n)`: turns that agents took; `Stop.requested()`: `done` was called. */
export function openProgress(bridge: Bridge): void {
  const { L } = bridge;
  setLibrary(L, 'Iterations', () => ({
    current: (thread) => pushResult(thread, progress.of(bridge).turns),
    exceeded: (thread) =>
      pushResult(thread, progress.of(bridge).turns >= lauxlib.luaL_checknumber(thread, 1)),
  }));
  setLibrary(L, 'Stop', () => ({
    requested: (thread) => pushResult(thread, progress.of(bridge).stop !== null),
    reason: (thread) => pushResult(thread, progress.of(bridge).stop?.reason ?? null),
    success: (thread) => pushResult(thread, progress.of(bridge).stop?.success ?? true),
  }));
}
