import { TactusError } from '../../contract/errors.js';
import type { Bridge } from '../kernel/bridge.js';
import { PerRun } from '../kernel/per-run.js';

/** How deep procedures of the file may call each other; null where it doesn't say. */
export const callDepth = new PerRun((): { most: number | null } => ({ most: null }));

/** @throws TactusError lua_error where procedures call each other without end, or deeper than `max_depth` says */
export function checkDepth(bridge: Bridge, depth: number): void {
  const { limits } = bridge;
  const { most } = callDepth.of(bridge);
  if (most !== null && most < limits.callDepth && depth > most)
    throw new TactusError('lua_error', `procedures call each other more than ${most} deep (max_depth)`);
  if (depth > limits.callDepth)
    throw new TactusError(
      'lua_error',
      `procedures call each other ${limits.callDepth} deep; is this recursion endless?`,
    );
}
