import type { RunStatus } from '../../contract/status.js';

/** Tactus's own six names, and four in the same manner for what it doesn't know. */
const tactusStatuses: Record<RunStatus, string> = {
  running: 'RUNNING',
  waiting_for_human: 'WAITING_FOR_HUMAN',
  waiting_for_time: 'WAITING_FOR_TIME',
  waiting_for_children: 'WAITING_FOR_CHILDREN',
  paused: 'PAUSED',
  completed: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  terminated: 'TERMINATED',
  timed_out: 'TIMED_OUT',
};

/** The status of a run in Tactus's words. */
export function toTactusStatus(status: RunStatus): string {
  return tactusStatuses[status];
}

/** Those of runs that have not ended. */
export const openTactusStatuses: readonly string[] = (
  ['running', 'waiting_for_human', 'waiting_for_time', 'waiting_for_children', 'paused'] as const
).map(toTactusStatus);
