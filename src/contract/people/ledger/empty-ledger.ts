import type { Ledger } from './ledger-shape.js';

/** The ledger of a run that has asked nobody yet. */
export function emptyLedger(runId: string): Ledger {
  return { runId, open: [], closed: [], early: [], verdicts: [] };
}
