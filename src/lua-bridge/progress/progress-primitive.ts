import { lauxlib, Library, pushResult, type Bridge } from '../kernel/index.js';
import { progress } from './progress.js';

/** `Iterations.current()`, `Iterations.exceeded(n)`: turns that agents took; `Stop.requested()`: `done` was called. */
export function openProgress(bridge: Bridge): void {
  iterations.open(bridge);
  stop.open(bridge);
}

const iterations = new Library('Iterations', (bridge) => ({
  current: (thread) => pushResult(thread, progress.of(bridge).turns),
  exceeded: (thread) => pushResult(thread, progress.of(bridge).turns >= lauxlib.luaL_checknumber(thread, 1)),
}));

const stop = new Library('Stop', (bridge) => ({
  requested: (thread) => pushResult(thread, progress.of(bridge).stop !== null),
  reason: (thread) => pushResult(thread, progress.of(bridge).stop?.reason ?? null),
  success: (thread) => pushResult(thread, progress.of(bridge).stop?.success ?? true),
}));
