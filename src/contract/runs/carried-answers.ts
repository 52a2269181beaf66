import type { JsonValue } from '../json/json.js';

/** What somebody else recorded of a run: the answer to whatever of its type is asked for next. */
export interface CarriedAnswer {
  /** Where it stands in that record, for people. */
  position: string;
  /** A `CheckpointType`. */
  type: string;
  /** Left out: the record names none, and any fits. */
  name?: string;
  /** What the procedure got. */
  value: JsonValue;
  /** A person hadn't answered in time, and the value is what stands for that. */
  timedOut?: true;
  /** When it ended, in ms since 1970. */
  at: number;
  durationMs: number;
  /** Where it was asked for, as far as the record knows. */
  source: { file: string; line: number } | null;
}

/**
 * Answers without positions and digests, in the order in which a procedure asks for them. What is of none of the recorded
 * types wasn't recorded, and is done.
 */
export interface CarriedAnswers {
  types: string[];
  answers: CarriedAnswer[];
}
