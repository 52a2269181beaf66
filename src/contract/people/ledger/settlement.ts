import type { Verdict } from '../decision.js';
import type { HumanAnswer } from '../human-request.js';
import type { Ledger } from './ledger-shape.js';

/** What one decision comes to. */
export interface Settlement {
  ledger: Ledger;
  verdict: Verdict;
  /** What the waiting procedure gets; null unless the decision is accepted. */
  answer: HumanAnswer | null;
}
