import type { ChannelRest } from '../channels/delivery.js';
import type { ClosingNotice } from '../channels/tell-people.js';
import type { Decision, KnownDecision, Verdict } from '../decision.js';
import type { HumanAnswer, HumanRequest, HumanRequestKind } from '../human-request.js';

/**
 * What a run knows of its human requests and the decisions on them. Plain JSON that travels with the run, through
 * continue-as-new too. Lists, not records: ids come from outside, and never become property names.
 */
export interface Ledger {
  runId: string;
  /** In the order of creation. */
  open: HumanRequest[];
  /** In the order of closing; the oldest are dropped. */
  closed: ClosedRequest[];
  /** Decisions on requests that aren't open yet. */
  early: EarlyDecision[];
  /** Signed decisions whose tokens are being verified; left out where none is. */
  unverified?: UnverifiedDecision[];
  /** What became of the latest decisions, oldest first. */
  verdicts: KeptVerdict[];
  /** Channels that aren't tried for a while; left out where there is none. */
  rests?: ChannelRest[];
  /** Who is yet to hear that a request is closed; left out where nobody is. */
  closing?: ClosingNotice[];
}

export interface ClosedRequest {
  id: string;
  kind: HumanRequestKind;
  /** Digest of what was shown: the same id with another digest is another question. */
  digest: string;
  how: 'decided' | 'timed_out' | 'cancelled' | 'withdrawn';
  /** In ms since 1970. */
  at: number;
  by: string | null;
  decisionId: string | null;
  valueDigest: string | null;
  /** Of the value as it was sent, where that isn't the form in which it was taken. */
  givenDigest?: string;
  /** The value as a short text, for messages to those who come late. */
  valueText: string;
  /** Kept until the answer stands in the log: a run that continued as new asks for it again. */
  answer: HumanAnswer | null;
}

/** A signed decision that waits for its token to be verified. */
export interface UnverifiedDecision {
  decision: Decision;
  /** When it arrived, in ms since 1970. */
  at: number;
}

export interface EarlyDecision extends KnownDecision {
  /** In ms since 1970. */
  at: number;
}

export interface KeptVerdict extends Verdict {
  decisionId: string | null;
  /** In ms since 1970. */
  at: number;
}
