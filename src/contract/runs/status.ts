import type { SourceLine } from '../checkpoints/checkpoint.js';
import type { WaitKind } from '../effects/effects.js';

export const runStatuses = [
  'running',
  'waiting_for_human',
  'waiting_for_time',
  'waiting_for_children',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
] as const;
export type RunStatus = (typeof runStatuses)[number];

const over: ReadonlySet<RunStatus> = new Set(['completed', 'failed', 'cancelled', 'terminated', 'timed_out']);

/** Whether a run that stands so has ended. */
export function isOver(status: RunStatus): boolean {
  return over.has(status);
}

/** What an open run waits for. */
export interface Wait {
  position: string;
  kind: WaitKind;
  name: string;
  /** Where it is waited for; left out by workers of before 0.7.0, and where no line asks for it. */
  source?: SourceLine;
  /** ISO 8601, UTC. */
  since: string;
  /** Ids of the runs that are waited for. */
  runs?: string[];
  /** When a procedure goes on that put itself off until then; ISO 8601, UTC. */
  resume_at?: string;
}

/** A run that does anything is running; else the most visible wait names its status. */
export function statusOfWaits(kinds: ReadonlySet<WaitKind>): RunStatus {
  if (kinds.size === 0 || kinds.has('activity')) return 'running';
  if (kinds.has('human')) return 'waiting_for_human';
  return kinds.has('child') ? 'waiting_for_children' : 'waiting_for_time';
}
