import type { Decision, KnownDecision } from '../decision.js';
import { canonicalJson, jsonSize, type JsonValue } from '../../json/json.js';
import { keepVerdict } from './keep-verdict.js';
import { maxEarlyBytes, maxEarlyDecisions } from './ledger-limits.js';
import type { EarlyDecision, Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import type { Settlement } from './settlement.js';
import { sizeProblem } from './size-problem.js';

/** Keeps a decision on a request that isn't open yet; `openRequest` settles it. */
export function keepEarly(ledger: Ledger, decision: KnownDecision, nowMs: number): Settlement {
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
