import type { HumanRequest } from '../people/human-request.js';
import type { JsonValue } from '../json/json.js';
import type { ClosedRequest, EarlyDecision } from '../people/ledger.js';
import type { Position } from '../checkpoints/position.js';

/** What people have done for a run, and sent to it, and no checkpoint has: another run that goes on with its log is handed it. */
export interface HandedWork {
  /** Open requests, with their times, votes, and who was asked besides. */
  requests: HumanRequest[];
  /** Requests whose answer no checkpoint has yet. */
  answered: ClosedRequest[];
  early: EarlyDecision[];
  /** What kinds of effects keep: events that nobody has waited for, and what no agent has heard. */
  kept: Record<string, JsonValue>;
  /** When open timers fire, in ms since 1970, by position. */
  deadlines: Record<Position, number>;
  /** Since when the run waits, in ms since 1970, by position. */
  since: Record<Position, number>;
}

/** Kinds of effects that keep what people have sent. */
export const sentKinds = ['event', 'steer'] as const;
