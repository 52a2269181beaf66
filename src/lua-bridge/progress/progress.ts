import type { JsonValue } from '../../contract/json.js';
import { PerRun } from '../kernel/per-run.js';

/** What a run has come to, beside its state and its log. */
export class Progress {
  /** Turns that agents have begun. */
  turns = 0;
  /** What `done` was first called with. */
  stop: { reason: JsonValue; success: boolean } | null = null;
  stage: string | null = null;
  /** Names of the stages that the procedure goes through, in order; empty where it doesn't say. */
  stageNames: readonly string[] = [];
  readonly stages: { from: string | null; to: string; at: number }[] = [];
}

export const progress = new PerRun(() => new Progress());
