import { CancelledFailure, isCancellation, sleep } from '@temporalio/workflow';
import { TactusError } from '../../contract/errors.js';
import { cutMessage } from '../../contract/text/plain-text.js';
import type { Program } from '../../lua-bridge/index.js';
import type { RunContext } from '../effects/effect-kind.js';
import type { HandedParts } from '../history/hand-over.js';
import { lastingFollower } from '../sequence.js';

export function cancelledFailure(): CancelledFailure {
  return new CancelledFailure('Workflow cancelled');
}

/**
 * A run that was asked to end does its compensations and deferred functions first, for a time. False: there are none, or
 * they have had it.
 */
export function beginCancelling({
  context,
  program,
  effects,
}: Omit<HandedParts, 'carry' | 'mirrored'>): boolean {
  if (context.changing.agreed !== null || context.cancelling !== null) return false;
  const since = context.now();
  if (!program.cancel(since)) return false;
  const ms = program.cancelTimeoutMs;
  context.cancelling = { since, until: since + ms };
  context.changing.end('ended');
  context.pausing.lift(effects);
  effects.release();
  lastingFollower(context.sequence).follow(
    () => sleep(ms, { summary: 'time for compensations of a cancelled run' }),
    () => endCancelling(context),
    () => undefined,
  );
  return true;
}

/** @throws CancelledFailure where the run is cancelling */
export function endCancelling(context: RunContext | null): void {
  if (context !== null && context.cancelling !== null) throw cancelledFailure();
}

/** Takes an event. Gives whether the event ends the run, for whoever has to finish something else first. */
export function isCancelledBy(take: () => void): boolean {
  try {
    take();
    return false;
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return true;
  }
}

/** What a cancelled run has to say of compensations and deferred functions; null: all have ended well. */
export function cancelError(
  { cancelling, limits }: RunContext,
  { cleanup: { left, problems } }: Program,
): TactusError | null {
  if (cancelling === null || (left.length === 0 && problems.length === 0)) return null;
  const texts = [
    ...(problems.length === 0 ? [] : [`Failed: ${problems.join('; ')}`]),
    ...(left.length === 0 ? [] : [`Did not run to their end: ${left.map((name) => `'${name}'`).join(', ')}`]),
  ];
  return new TactusError(
    'cancelled',
    cutMessage(`The run was cancelled. ${texts.join('. ')}`, limits.errorMessageBytes),
  );
}
