import { TactusError } from '../../contract/errors.js';
import { textOf, type Deadline } from '../budgets/deadline.js';
import {
  branchOf,
  currentFrame,
  lua,
  upcomingPosition,
  type Branch,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { heldBack, type HeldBack } from './attempted.js';
import { forked } from './branches.js';

/** Work in a thread of its own, which may be given up. */
export type Work<T> = (thread: LuaState) => Generator<Step, T, unknown>;

/**
 * Does work beside a durable timer, in the frame that is open: the timer is its next checkpoint. When the timer ends first, the work is
 * given up with all that it waits for.
 * @param what begins the message of the error: `step 'load'`
 * @param deadline null: the work has none, and is done in this thread
 * @throws TactusError deadline_exceeded; what the work failed with
 */
export function* byDeadline<T>(
  bridge: Bridge,
  L: LuaState,
  what: string,
  deadline: Deadline | null,
  work: Work<T>,
): Generator<Step, T, unknown> {
  if (deadline === null) return yield* work(L);
  const now = bridge.now();
  const until = 'at' in deadline ? deadline.at : now + deadline.afterMs;
  if (until <= now) throw passed(what, deadline);
  const { scope } = currentFrame(L);
  const around = scope.ends;
  const timer = 'at' in deadline ? null : upcomingPosition(currentFrame(L));
  if (around === undefined || until < around.until) scope.ends = { until, timer };
  try {
    const name = `deadline ${textOf(deadline)}`;
    const resumeAt = new Date(until).toISOString();
    const wait: Step =
      'at' in deadline
        ? {
            effect: {
              type: 'scheduled_continuation',
              name,
              effect: { kind: 'defer', key: name, resumeAt, reason: what },
            },
          }
        : { effect: { type: 'sleep', name, effect: { kind: 'sleep', ms: deadline.afterMs } } };
    const ended = yield* inTime(bridge, L, wait, work, true);
    if (ended === null) throw passed(what, deadline);
    return ended.value;
  } finally {
    if (around === undefined) delete scope.ends;
    else scope.ends = around;
  }
}

function passed(what: string, deadline: Deadline): TactusError {
  return new TactusError(
    'deadline_exceeded',
    'at' in deadline
      ? `${what} was not done by its deadline, ${textOf(deadline)}`
      : `${what} was not done within its deadline of ${deadline.afterMs / 1_000} s`,
  );
}

/**
 * Does work beside a wait, and gives up whichever is not the first to end; null: that is the work.
 * @param isHere both count the checkpoints of the frame that is open, the wait first; else they are branches, the work first
 * @throws what the work failed with
 */
export function* inTime<T>(
  bridge: Bridge,
  L: LuaState,
  wait: Step,
  work: Work<T>,
  isHere: boolean,
): Generator<Step, { value: T } | null, unknown> {
  const ended: { result: { value: T } | null; failed: HeldBack | null } = { result: null, failed: null };
  const worker = branchOf(bridge, function* (thread) {
    try {
      ended.result = { value: yield* work(thread) };
    } catch (error) {
      ended.failed = heldBack(bridge, thread, error);
    }
    return 0;
  });
  const timer: Branch = branchOf(bridge, function* () {
    yield wait;
    return 0;
  });
  // The work goes on from the conversation around, and in it: it is no branch of the author's.
  const fork = { concurrency: 2, isApart: false, isEnough: () => true };
  yield* forked(
    bridge,
    L,
    isHere ? { ...fork, parallel: [timer, worker], isHere: true } : { ...fork, parallel: [worker, timer] },
  );
  lua.lua_pop(L, 1);
  if (ended.failed !== null) throw ended.failed.again(L);
  return ended.result;
}
