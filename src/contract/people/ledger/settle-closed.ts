import type { Decision, Verdict } from '../decision.js';
import { digestOf } from '../../effects/digest.js';
import { keepVerdict } from './keep-verdict.js';
import type { ClosedRequest, Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import { readAnswerValue } from './read-answer-value.js';
import type { Settlement } from './settlement.js';

/** Settles a decision on a request that is closed: the same again is a duplicate, all else is late. */
export function settleClosed(
  ledger: Ledger,
  closed: ClosedRequest,
  decision: Decision,
  nowMs: number,
): Settlement {
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
