import type { JsonValue } from './json.js';
import type { Position } from './position.js';

export type HumanRequestKind = 'approval' | 'input' | 'review';

/** What a procedure asks of people, as Lua gives it. */
export interface HumanAsk {
  kind: HumanRequestKind;
  message: string;
  context: JsonValue;
  /** Answers to choose from; empty: any. */
  options: string[];
  /** Taken when the time is over; null where there is none. */
  default: JsonValue;
  /** Time to answer, in ms; null: for ever. */
  timeoutMs: number | null;
  /** Who may answer; empty: anyone. */
  approvers: string[];
}

/** An open human request: the `Request` of the command line's JSON. Times are ISO 8601 in UTC. */
export interface HumanRequest {
  /** `<run>/<position>`: the same after crashes, replays and continue-as-new. */
  id: string;
  run_id: string;
  kind: HumanRequestKind;
  message: string;
  context: JsonValue;
  options: string[];
  default: JsonValue;
  deadline: string | null;
  created_at: string;
  position: Position;
  approvers: string[];
  /** Digest of what is shown: kind, message, context and options. A decision may name it, and then must match. */
  digest: string;
}

/** What the procedure gets. */
export interface HumanAnswer {
  value: JsonValue;
  timed_out: boolean;
  by: string | null;
  comment: string | null;
}
