import type { Decision, DecisionOutcome, Verdict } from '../decision.js';
import { maxKeptVerdicts } from './ledger-limits.js';
import type { Ledger } from './ledger-shape.js';

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
