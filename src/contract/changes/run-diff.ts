import type { JsonValue } from '../json/json.js';

/** What `diff` compares of an entry of a log. */
export interface ComparedEntry {
  type: string;
  name: string;
  /** What was sent, whole; of passes before, what `log` shows of it. */
  input: JsonValue;
  result: JsonValue;
  /** null: it succeeded. */
  error: string | null;
}

/** Two runs, position by position. `diff --json`. */
export interface RunDiff {
  /** In how many positions both have the same. */
  same: number;
  /** Where they differ, in the order of positions; null: that run has nothing there. */
  entries: { position: string; left: ComparedEntry | null; right: ComparedEntry | null }[];
  /** Checkpoints of passes that the server no longer keeps: nothing is said of them. */
  missing: { left: number; right: number };
}
