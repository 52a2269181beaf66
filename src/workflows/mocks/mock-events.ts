import { sleep, workflowInfo } from '@temporalio/workflow';
import type { RunContext } from '../context.js';
import { receiveEvent } from '../events/event-effect.js';

/**
 * Sends the run the events of a test, each in its time after the start. A run that it starts gets none, and one that goes on
 * as a new execution those whose time hasn't come.
 */
export function sendMockEvents(context: RunContext, startedAtMs: number): void {
  const { start, sequence, now } = context;
  if (start.parent !== undefined) return;
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  for (const { name, value, afterMs } of start.mock?.events ?? []) {
    const ms = isContinued ? startedAtMs + afterMs - now() : afterMs;
    if (isContinued && ms <= 0) continue;
    sequence.follow(
      sleep(ms, { summary: `until the test sends ${name}` }),
      () => receiveEvent(context, name, value),
      () => undefined,
    );
  }
}
