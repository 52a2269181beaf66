import { TactusError } from '../../contract/errors.js';
import { currentFrame, type Bridge, type LuaState } from '../kernel/index.js';

/**
 * Refuses to begin something past the deadline around. The clock is that of the log, so a replay begins what the run began.
 * @param what as WINK says it: `provider request`, `executing tool 'x'`
 * @throws TactusError deadline_exceeded
 */
export function assertInTime(bridge: Bridge, L: LuaState, what: string): void {
  const { deadline } = currentFrame(L).scope;
  if (deadline === undefined || bridge.now() < deadline) return;
  throw new TactusError(
    'deadline_exceeded',
    `DeadlineExceededError: Deadline expired before ${what}. It was ${new Date(deadline).toISOString()}`,
  );
}
