import type { Ledger } from './ledger-shape.js';

/** The earliest deadline of the open requests, in ms since 1970; null where none has one. */
export function nextDeadline(ledger: Ledger): number | null {
  const deadlines = ledger.open.flatMap(({ deadline }) => (deadline === null ? [] : [Date.parse(deadline)]));
  return deadlines.length === 0 ? null : Math.min(...deadlines);
}
