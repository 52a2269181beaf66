import { TactusError } from '../../contract/errors.js';
import type { Cleanup, CleanupStep } from '../scheduler/task.js';
import { lauxlib, lua, type LuaState } from '../vm/fengari.js';
import type { Bridge } from './bridge.js';
import { PerRun } from './kept.js';

/** So many functions may wait for their turn in a run. */
const mostSteps = 1_000;

/**
 * What is to be done when parts of the procedure end: compensations of sagas, and what was deferred.
 *
 * Owns: the parts that are open, with the functions that wait for their turn.
 * Invariants:
 *  1. A part is open from its beginning until its functions have had their turn. One that was given up stays open until whoever gave it
 *     up has run them.
 *  2. Functions run in the opposite order of their registration. One that has ended runs no more.
 *  3. While functions of a part run, a cancellation of the run waits for them.
 */
class OpenCleanups {
  readonly open = new Set<Cleanup>();
  /** Counts all that were registered. */
  registered = 0;
  /** The run was asked to end. */
  isCancelled = false;
  /** What failed while a cancelled run did them. */
  readonly problems: string[] = [];

  get steps(): { cleanup: Cleanup; step: CleanupStep }[] {
    return [...this.open]
      .flatMap((cleanup) => cleanup.steps.map((step) => ({ cleanup, step })))
      .sort((a, b) => b.step.order - a.step.order);
  }

  get isRunning(): boolean {
    return [...this.open].some(({ isRunning }) => isRunning);
  }
}

export const cleanups = new PerRun(() => new OpenCleanups(), 'elsewhere');

/** Whether something was registered since `registered` that has not run: what a snapshot can't have. */
export function hasOpenSince(bridge: Bridge, registered: number): boolean {
  return cleanups.of(bridge).steps.some(({ step }) => step.order >= registered);
}

/**
 * Registers the function on top of the stack.
 * @throws TactusError lua_error where the part has ended, or there are too many
 */
export function register(
  bridge: Bridge,
  L: LuaState,
  cleanup: Cleanup | undefined,
  name: string,
  isAlways: boolean,
): void {
  const all = cleanups.of(bridge);
  if (cleanup === undefined || !all.open.has(cleanup) || cleanup.isRunning)
    throw new TactusError('lua_error', `'${name}' comes too late: what it belongs to has ended`);
  if (all.steps.length >= mostSteps)
    throw new TactusError(
      'lua_error',
      `'${name}' is one too many: ${mostSteps} functions wait for their turn`,
    );
  const body = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  cleanup.steps.push({ name, body, isAlways, order: all.registered++ });
}
