import type { Outcome, Position } from '../checkpoints/checkpoint.js';
import { TactusError } from '../errors.js';
import type { JsonValue } from '../json/json.js';

/**
 * Who answers a run that tries a source. `teacher`: models are asked anew, and all else is answered as it is recorded. `live`: what is
 * `pure` or `idempotent` is done anew too; what may be done once alone, people, events and time are answered as they are recorded.
 */
export type TrialMode = 'teacher' | 'live';
export const trialModes: readonly TrialMode[] = ['teacher', 'live'];

/** What another run was answered, for a run that tries a source with it. */
export interface Trial {
  /** The other run. */
  of: string;
  mode: TrialMode;
  /** In the order in which they ended; those that never ended are last. */
  answers: TrialAnswer[];
  /** What people say to what they weren't asked then; left out: that is a divergence. */
  decide?: JsonValue;
}

/** An effect that the other run has asked for. */
export interface TrialAnswer {
  position: Position;
  /** A `CheckpointType`. */
  type: string;
  name: string;
  /** Digest of what flowed into it; see `Compared`. */
  data: string;
  /** null: it never ended, as the deadline of what was done in time, or the loser of a race. */
  outcome: Outcome | null;
  /** When it ended, in ms since 1970; 0 where it never did. */
  at: number;
  durationMs: number;
}

const prefix = 'trial:';

/** The id of a run that tries a source with the answers of another one. `key`: of the attempt. */
export function trialId(key: string, run: string): string {
  return `${prefix}${key}:${run}`;
}

/** Whether a run is none of the procedure's own. */
export function isTrial(runId: string): boolean {
  return runId.startsWith(prefix);
}

/**
 * What goes on with the log of a trial would do what the trial only answers.
 * @throws TactusError usage where the run is one
 */
export function assertNoTrial(runId: string): void {
  if (isTrial(runId))
    throw new TactusError(
      'usage',
      `${runId} tries a source with the answers of another run: no run can go on with what it has recorded`,
    );
}
