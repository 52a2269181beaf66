import type { AskedClass } from '../effects/define-effect.js';
import type { Outcome, Position } from '../checkpoints/checkpoint.js';
import type { ErrorCode, NamedCheckpoint, RunError } from '../errors.js';

/** Where a log and another source part ways. */
export interface Divergence {
  /** Of the checkpoint itself, never of the frame around it. */
  position: Position;
  /** Of the new source; null where none of its lines asks for what is recorded. */
  file: string | null;
  line: number | null;
  expected: NamedCheckpoint;
  /** What the procedure comes to there; null: nothing, it ends. */
  found: NamedCheckpoint | NamedCheckpoint[] | null;
  message: string;
}

/** A recorded checkpoint that the new source asks for in another way than it was answered. */
export interface ChangedSettings {
  position: Position;
  /** Of the checkpoint, as `log` shows it. */
  type: string;
  name: string;
  /** As authors write them: `system_prompt`, `approvers`. */
  settings: string[];
}

/** What becomes of something that is open: a request to people, a timer, a child run. */
export type RequestFate = 'kept' | 'asked_anew' | 'gone';

/** What is asked for after the log, as far as the answers that the run had before tell. */
export interface AskedAgain {
  position: Position;
  /** Of the checkpoint, as `log` shows it. */
  type: string;
  name: string;
  effect: AskedClass;
  /** The run has had this very thing done, and it may be done once alone. */
  repeats: boolean;
}

/** Codes of calls that were refused before they began. */
const notBegun: readonly ErrorCode[] = [
  'tool_denied',
  'budget_exhausted',
  'deadline_exceeded',
  'egress_denied',
];

/** Whether something that was asked for may have been done. @param outcome null: it has none yet */
export function mayBeDone(outcome: Outcome | null): boolean {
  return outcome === null || outcome.ok || !notBegun.includes(outcome.code);
}

/** What a log says of a source that isn't the one that it was recorded by. */
export interface ProofResult {
  /** `failed`: it ends with an error before it asks for anything new. */
  verdict: 'fits' | 'diverges' | 'failed';
  /** How many checkpoints it comes by. */
  kept: number;
  diverges: Divergence | null;
  failed: RunError | null;
  changed: ChangedSettings[];
  /** Of what is open in the run, by its position. */
  open: Record<Position, RequestFate>;
  /** In the order of asking. The first that is answered in no way known is the last of them. */
  again: AskedAgain[];
  /** Digests that the log is to have in place of its own, by position: then this source replays by it. */
  digests: Record<Position, string>;
}
