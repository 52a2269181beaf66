import type { JsonValue } from '../contract/json.js';

/** What a run has come to, beside its state and its log. */
export class Progress {
  /** Turns that agents have begun. */
  turns = 0;
  /** What `done` was first called with. */
  stop: { reason: JsonValue; success: boolean } | null = null;
  stage: string | null = null;
  readonly stages: { from: string | null; to: string; at: number }[] = [];
}
