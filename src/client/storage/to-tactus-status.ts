import { isOver, runStatuses, type RunStatus } from '../../contract/runs/status.js';

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

/** The status that Tactus calls so; undefined where it is none of a run's. */
export function fromTactusStatus(status: string): RunStatus | undefined {
  return runStatuses.find((each) => tactusStatuses[each] === status);
}

/** Those of runs that have not ended. */
export const openTactusStatuses: readonly string[] = runStatuses
  .filter((status) => !isOver(status))
  .map(toTactusStatus);
