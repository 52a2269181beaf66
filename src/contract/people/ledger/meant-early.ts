import type { Decision, Verdict } from '../decision.js';
import { isObject, type JsonValue } from '../../json/json.js';
import { quoteText } from './quote-text.js';

/** What came as a decision without its `early`, and whether that was said. */
export interface SaidEarly {
  given: unknown[];
  isMeant: boolean;
}

/** Takes `early` out of what arrives as a decision: it is a word to whoever takes it, and no part of what is kept. */
export function takeEarly(given: unknown[]): SaidEarly {
  const [input, ...others] = given as JsonValue[];
  if (!isObject(input) || !isFlag(input['early'])) return { given, isMeant: false };
  const { early, ...decision } = input;
  return { given: [decision, ...others], isMeant: early === true };
}

function isFlag(early: unknown): boolean {
  return early === null || typeof early === 'boolean';
}

/**
 * Refuses what would only be kept, unless that is meant: a mistyped number would answer a question that nobody has seen. What names
 * a digest is bound to the text that somebody saw, and may come first.
 */
export function refuseUnseen(verdict: Verdict, { digest }: Decision, isMeant: boolean): Verdict {
  if (verdict.outcome !== 'early' || digest !== undefined || isMeant) return verdict;
  return {
    id: verdict.id,
    outcome: 'unknown',
    message:
      `request ${quoteText(verdict.id)} isn't open: nobody has seen what it asks, and the decision was not kept. ` +
      'To decide it all the same, send it with early: true (respond --early)',
  };
}
