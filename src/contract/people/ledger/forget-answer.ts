import type { Ledger } from './ledger-shape.js';

/** Drops the answer of a closed request: call it once the answer stands in the log, which holds it from then on. */
export function forgetAnswer(ledger: Ledger, id: string): Ledger {
  const closed = ledger.closed.map((entry) => (entry.id === id ? { ...entry, answer: null } : entry));
  return { ...ledger, closed };
}
