import type { Drift } from '../contract/specifications/scenario.js';
import type { Shown } from '../contract/runs/run-view.js';
import type { Bridge, LuaState } from './kernel/index.js';
import { Chance, Determinism, isRecorded, strictness } from './determinism/determinism.js';
import { mainOf } from './main/main-task.js';
import { openBase } from './stdlib/base.js';
import { openCoroutine } from './stdlib/coroutine.js';
import { openDebug } from './stdlib/debug.js';
import { openJoin } from './stdlib/join.js';
import { openMath } from './stdlib/math.js';
import { openOs } from './stdlib/os.js';
import { openSplit, openString, openUtf8Clean } from './stdlib/string.js';

/** What decides on chance and time as the procedure sees them. */
export interface ChanceAndTime {
  /** Seed of the procedure's random numbers. */
  seed: string;
  /** null: chance and time are the run's own everywhere. */
  drift: Drift | null;
  warn: (warning: Shown) => void;
}

/** Opens what a fresh Lua state has of Lua's own library. */
export function openLibraries(bridge: Bridge, { seed, drift, warn }: ChanceAndTime): void {
  const { L, run, scheduler } = bridge;
  openBase(L, bridge.show, bridge.holds);
  openString(L);
  openUtf8Clean(L);
  openSplit(L);
  openJoin(L);
  openDebug(L);
  const isStrict = (): boolean =>
    run.settings.strictDeterminism ?? mainOf(bridge)?.strict ?? strictness.of(bridge).isDeclared;
  const { check } = new Determinism(run.source, scheduler.notes, isStrict, warn);
  openMath(L, new Chance(seed, drift), check, bridge.holds);
  const now = (thread: LuaState): number =>
    bridge.now() + (drift === null || isRecorded(thread) ? 0 : drift.aheadMs);
  openOs(L, { now, startedAt: run.startedAt, runId: run.id, guard: check, holds: bridge.holds });
  openCoroutine(L, scheduler);
}
