import { sleep } from '@temporalio/workflow';
import type { EffectContext } from './context.js';

/** The server's timers end near 73 years; a time of the calendar may lie beyond that. */
const longestTimerMs = 10 * 365 * 86_400_000;

/** Waits for a time of the calendar. One that has passed is a timer too: what is asked for must not depend on the clock. */
export async function performDefer(
  context: EffectContext,
  resumeAt: string,
  summary: string,
): Promise<{ completed: true }> {
  const end = Date.parse(resumeAt);
  for (let isOver = false; !isOver;) {
    const restMs = end - Date.now();
    await sleep(Math.min(Math.max(1, restMs), longestTimerMs), { summary });
    isOver = restMs <= longestTimerMs;
    // Another timer is a command, and must follow from what a replay has seen by then.
    if (!isOver && !context.gate.isOpen) await context.gate.opened();
  }
  return { completed: true };
}
