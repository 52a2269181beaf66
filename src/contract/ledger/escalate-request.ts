import { replaceRequest } from './replace-request.js';
import type { Ledger } from './ledger-shape.js';

/** Asks those besides whose turn it is. Who was asked before may decide as well; where anybody may, that stays so. */
export function escalateRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((each) => each.id === id);
  if (request?.escalation === undefined) return ledger;
  const escalation = request.escalation.map((each) => ({ ...each, asked: Date.parse(each.at) <= nowMs }));
  const asked = escalation.filter((each) => each.asked).flatMap(({ to }) => to);
  const approvers = request.approvers.length === 0 ? [] : [...new Set([...request.approvers, ...asked])];
  return replaceRequest(ledger, { ...request, escalation, approvers });
}
