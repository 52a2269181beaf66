import type { PauseAnswer } from '../../src/contract/changes/pause-answer.js';
import type { History } from './histories.js';

/** What takes milliseconds and belongs to no effect: it ends a workflow task, looks at a signature, or stores what is handed over. */
const ofTheRun = ['breathe', 'verifyDecision', 'tellPeople', 'storesLargePayloads', 'lookAtRuns'];

/** What an execution has begun between the turn of a pause and that of the end of the pause, by its history alone. */
export function begunWhilePaused({ events }: History): string[] {
  const begun: string[] = [];
  let isPaused = false;
  /** Ends of pauses that are accepted, and have no answer yet. */
  const ending = new Set<string>();
  for (const event of events ?? []) {
    const {
      workflowExecutionUpdateAcceptedEventAttributes: accepted,
      workflowExecutionUpdateCompletedEventAttributes: completed,
      activityTaskScheduledEventAttributes: activity,
      startChildWorkflowExecutionInitiatedEventAttributes: child,
      timerStartedEventAttributes: timer,
    } = event;
    if (accepted?.acceptedRequest?.input?.name === 'unpause') {
      isPaused = false;
      ending.add(String(event.eventId));
    }
    ending.delete(String(completed?.acceptedEventId));
    const answer = completed?.outcome?.success?.payloads?.[0]?.data;
    if (answer != null) {
      const { status } = JSON.parse(Buffer.from(answer).toString()) as Partial<PauseAnswer>;
      if (status === 'paused' || status === 'running') isPaused = status === 'paused';
    }
    // What it begins stands before its answer, and a pause in the same task may have answered since it was accepted.
    if (!isPaused || ending.size > 0) continue;
    const name = activity?.activityType?.name ?? '';
    if (activity != null && !ofTheRun.includes(name)) begun.push(`${String(event.eventId)} ${name}`);
    if (child != null) begun.push(`${String(event.eventId)} ${child.workflowId ?? ''}`);
    if (timer != null) begun.push(`${String(event.eventId)} timer`);
  }
  return begun;
}
