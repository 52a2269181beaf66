import type { JsonValue } from '../json/json.js';
import type { CallUsage, FinishReason } from '../models/model-call.js';
import type { Position } from '../checkpoints/checkpoint.js';

/** What all events of a run's stream have. */
export interface StreamedBy {
  run_id: string;
  /** Of the call of the model in the run's log. */
  position: Position;
  agent: string;
  /** 1 for the first attempt at the call. */
  attempt: number;
  /** ISO 8601 in UTC, by the clock of the worker. */
  at: string;
}

/** What agents of a run say and do, while they do it. What counts stands in the run's log; this is for those who look on. */
export type StreamEvent = StreamedBy &
  (
    | { type: 'text'; text: string }
    /** The model asks for a tool. */
    | { type: 'tool_call'; call_id: string; tool: string; arguments: JsonValue }
    /** What it gave, as the model reads it; where it is long, its beginning. */
    | { type: 'tool_result'; call_id: string; tool: string; content: string }
    /** The answer is complete, and recorded from now on. */
    | { type: 'answer'; model: string; finish_reason: FinishReason; usage: CallUsage }
    /** The call is tried again: all that earlier attempts said at this position is void. */
    | { type: 'restart' }
    /** The answer was broken off, and nothing more of it comes: somebody said so, or nobody wants it any more. */
    | { type: 'interrupted' }
    /** So many events were lost before this one: nobody could take them for too long. */
    | { type: 'gap'; lost: number }
  );

/** An event with its place in the run's stream: offsets grow, and need not be next to each other. */
export interface StoredEvent {
  offset: number;
  event: StreamEvent;
}

/** A tool's result in a stream, in characters: who wants all of it reads the log. */
export const streamedResultChars = 4_000;
