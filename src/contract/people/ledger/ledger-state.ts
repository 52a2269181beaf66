import { ownIndex, type Position } from '../../checkpoints/checkpoint.js';
import type { ChannelRest } from '../channels/channel.js';
import type { ClosingNotice } from '../channels/tell-people.js';
import type { Decision, DecisionOutcome, KnownDecision, Verdict } from '../decision.js';
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

interface KeptVerdict extends Verdict {
  decisionId: string | null;
  /** In ms since 1970. */
  at: number;
}

/** Closed requests that a ledger remembers: as many as can be open at once, since each may hold an answer. */
export const maxClosedRequests = 1_000;

/** Verdicts that a ledger keeps for those who decided by signal and look later. */
const maxKeptVerdicts = 100;

/** Decisions on requests that aren't open yet: anyone can send them, and all of them travel with the run. */
export const maxEarlyDecisions = 100;

/** Size of all early decisions together: the ledger has to fit into one payload beside the rest of the run. */
export const maxEarlyBytes = 256 * 1024;

/** JSON text of a decision's value: it becomes a result in the log, and history holds it twice. */
export const maxValueBytes = 256 * 1024;

export const maxCommentBytes = 16 * 1024;

/** The ledger of a run that has asked nobody yet. */
export function emptyLedger(runId: string): Ledger {
  return { runId, open: [], closed: [], early: [], verdicts: [] };
}

/** The ledger with an open request as it is now. */
export function replaceRequest(ledger: Ledger, request: HumanRequest): Ledger {
  return { ...ledger, open: ledger.open.map((each) => (each.id === request.id ? request : each)) };
}

/** Drops the answer of a closed request: call it once the answer stands in the log, which holds it from then on. */
export function forgetAnswer(ledger: Ledger, id: string): Ledger {
  const closed = ledger.closed.map((entry) => (entry.id === id ? { ...entry, answer: null } : entry));
  return { ...ledger, closed };
}

/** Adds a verdict on a decision to the ledger, and drops the oldest where there are too many. */
export function keepVerdict(
  ledger: Ledger,
  decision: Decision,
  nowMs: number,
  outcome: DecisionOutcome,
  message: string,
): { ledger: Ledger; verdict: Verdict } {
  const verdict: Verdict = { id: decision.request, outcome, message };
  const kept = { ...verdict, decisionId: decision.id ?? null, at: nowMs };
  return { ledger: { ...ledger, verdicts: [...ledger.verdicts, kept].slice(-maxKeptVerdicts) }, verdict };
}

/** The newest verdict on the decision of that id, else on the request of that id; null where none is kept. */
export function findVerdict(ledger: Ledger, decisionIdOrRequest: string): Verdict | null {
  const kept =
    ledger.verdicts.findLast((verdict) => verdict.decisionId === decisionIdOrRequest) ??
    ledger.verdicts.findLast((verdict) => verdict.id === decisionIdOrRequest);
  return kept === undefined ? null : { id: kept.id, outcome: kept.outcome, message: kept.message };
}

/**
 * Whether the requests known to the ledger prove that nothing new can open at `position`: positions of one frame
 * are given out in order, and one with a request inside of it is a frame itself. Says nothing of positions in
 * frames without a known request.
 */
export function hasPassed(ledger: Ledger, position: Position): boolean {
  const prefix = `${ledger.runId}/${frameOf(position)}`;
  const index = ownIndex(position);
  return [...ledger.open, ...ledger.closed].some(({ id }) => {
    const rest = id.startsWith(prefix) ? id.slice(prefix.length) : '';
    return rest !== '' && Number.parseInt(rest, 10) >= index;
  });
}

/** `4.0.` for `4.0.2`, nothing for `4`. */
function frameOf(position: Position): string {
  return position.slice(0, position.lastIndexOf('.') + 1);
}
