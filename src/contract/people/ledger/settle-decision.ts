import type { Decision, DecisionOutcome, KnownDecision, Verdict } from '../decision.js';
import { changesOf, newestEngine, type Holds } from '../../engine.js';
import type { Position } from '../../checkpoints/position.js';
import { hasPassed } from './has-passed.js';
import { keepVerdict } from './keep-verdict.js';
import type { ClosedRequest, EarlyDecision, Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import { settleOpen } from './settle-open.js';
import type { Settlement } from './settlement.js';
import { maxEarlyBytes, maxEarlyDecisions } from './ledger-limits.js';
import { sizeProblem } from './size-problem.js';
import { readAnswerValue } from './read-answer-value.js';
import { canonicalJson, jsonSize, type JsonValue } from '../../json/json.js';
import { digestOf } from '../../effects/digest.js';

/** The server takes no longer workflow ids; the message has to name the run in full. */
const longestRunId = 1_000;

const positionPattern = /^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8}))*$/;

/**
 * The position that a request id of this run names, or why it names none. A run's own id may hold slashes, so
 * only what follows it counts; `<run>/<position>/<position>` is a request of a child run.
 */
function locateRequest(runId: string, id: string): { position: Position } | { problem: string } {
  if (id.startsWith(`${runId}/`)) {
    const position = id.slice(runId.length + 1);
    if (positionPattern.test(position)) return { position };
  }
  const slash = id.lastIndexOf('/');
  if (slash <= 0 || !positionPattern.test(id.slice(slash + 1))) {
    return { problem: `${quoteText(id)} is not the id of a request, which reads <run>/<position>` };
  }
  const owner = quoteText(id.slice(0, slash), longestRunId);
  return { problem: `request ${quoteText(id)} belongs to run ${owner}: send the decision to that run` };
}

/**
 * Settles one decision: every decision has exactly one outcome. `isPassed` says of a position, from the run's
 * log, that it is behind the run; without it only what the ledger itself proves counts as passed.
 */
export function settleDecision(
  ledger: Ledger,
  decision: KnownDecision,
  nowMs: number,
  isPassed: (position: Position) => boolean = () => false,
  holds: Holds = changesOf(newestEngine),
): Settlement {
  const refuse = (outcome: DecisionOutcome, message: string): Settlement => ({
    ...keepVerdict(ledger, decision, nowMs, outcome, message),
    answer: null,
  });
  const place = locateRequest(ledger.runId, decision.request);
  if ('problem' in place) return refuse('unknown', place.problem);

  const open = ledger.open.find(({ id }) => id === decision.request);
  if (open !== undefined) return settleOpen(ledger, open, decision, nowMs, holds);
  const closed = ledger.closed.find(({ id }) => id === decision.request);
  if (closed !== undefined) return settleClosed(ledger, closed, decision, nowMs);

  if (isPassed(place.position) || hasPassed(ledger, place.position)) {
    return refuse('unknown', `the run has passed ${quoteText(decision.request)}: no request is open there`);
  }
  return keepEarly(ledger, decision, nowMs);
}

/** Keeps a decision on a request that isn't open yet; `openRequest` settles it. */
function keepEarly(ledger: Ledger, decision: KnownDecision, nowMs: number): Settlement {
  if (ledger.early.some((kept) => isSame(kept, decision))) {
    const message = 'already kept until its request is open';
    return { ledger, verdict: { id: decision.request, outcome: 'duplicate', message }, answer: null };
  }
  const oversize = sizeProblem(decision);
  if (oversize !== null)
    return { ...keepVerdict(ledger, decision, nowMs, 'invalid', oversize), answer: null };

  const early: EarlyDecision[] = [...ledger.early, { ...decision, at: nowMs }];
  if (early.length > maxEarlyDecisions || early.reduce(addSize, 0) > maxEarlyBytes) {
    const message =
      `request ${quoteText(decision.request)} isn't open, and too many early decisions are kept already: ` +
      'this one was not kept, send it again once the request is open';
    return { ...keepVerdict(ledger, decision, nowMs, 'unknown', message), answer: null };
  }
  const message = `request ${quoteText(decision.request)} isn't open yet: the decision is kept until it is`;
  return { ...keepVerdict({ ...ledger, early }, decision, nowMs, 'early', message), answer: null };
}

/** By its id, or, without one, in all its parts: two people may send the same value, and only one may be allowed to. */
function isSame(kept: EarlyDecision, decision: Decision): boolean {
  if (kept.request !== decision.request || kept.id !== decision.id) return false;
  return decision.id !== undefined || canonicalJson(partsOf(kept)) === canonicalJson(partsOf(decision));
}

function partsOf({ value, by, comment, digest, action, to }: Decision): JsonValue {
  const more = action === undefined ? [] : [action, to ?? null];
  return [value, by ?? null, comment ?? null, digest ?? null, ...more];
}

function addSize(sum: number, decision: EarlyDecision): number {
  return sum + jsonSize([decision.request, decision.id ?? null, partsOf(decision)]);
}

/** Settles a decision on a request that is closed: the same again is a duplicate, all else is late. */
function settleClosed(ledger: Ledger, closed: ClosedRequest, decision: Decision, nowMs: number): Settlement {
  const story = storyOf(closed);
  if (isDuplicate(closed, decision)) {
    // No verdict is kept: whoever looks for the first one by the same id shall find it.
    const verdict: Verdict = { id: decision.request, outcome: 'duplicate', message: `already ${story}` };
    return { ledger, verdict, answer: null };
  }
  return { ...keepVerdict(ledger, decision, nowMs, 'late', `too late: ${story}`), answer: null };
}

function isDuplicate(closed: ClosedRequest, decision: Decision): boolean {
  if (closed.how === 'withdrawn') return decision.action === 'withdraw';
  if (closed.how !== 'decided' || decision.action !== undefined) return false;
  if (decision.id !== undefined && decision.id === closed.decisionId) return true;
  if (decision.digest !== undefined && decision.digest !== closed.digest) return false;
  if (digestOf(decision.value) === (closed.givenDigest ?? closed.valueDigest)) return true;
  // The options are those of a request that is gone; a value that was taken is one of them.
  const read = readAnswerValue({ kind: closed.kind, options: [] }, decision.value);
  return typeof read !== 'string' && digestOf(read.value) === closed.valueDigest;
}

/** What happened to the request, by whom and when. */
function storyOf(closed: ClosedRequest): string {
  const at = `at ${new Date(closed.at).toISOString()}`;
  if (closed.how === 'cancelled') return `the request was withdrawn ${at}`;
  if (closed.how === 'timed_out') return `the time was over ${at}, and ${closed.valueText} was taken`;
  const by = closed.by === null ? '' : ` by ${quoteText(closed.by)}`;
  if (closed.how === 'withdrawn') return `the request was taken back${by} ${at}`;
  return `decided${by} ${at}: ${closed.valueText}`;
}
