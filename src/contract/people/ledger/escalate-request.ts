import type { HumanRequest } from '../human-request.js';
import { withDeliveries } from './begin-deliveries.js';
import { replaceRequest } from './replace-request.js';
import type { Ledger } from './ledger-shape.js';

/** Asks those besides whose turn it is. Who was asked before may decide as well; where anybody may, that stays so. */
export function escalateRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((each) => each.id === id);
  if (request?.escalation === undefined) return ledger;
  return replaceRequest(ledger, askStages(request, nowMs));
}

/** The request with those asked whose time has come, and messages to them. */
export function askStages(request: HumanRequest, nowMs: number): HumanRequest {
  const { escalation: before = [] } = request;
  const escalation = before.map((each) => ({ ...each, asked: Date.parse(each.at) <= nowMs }));
  const asked = escalation.filter((each) => each.asked).flatMap(({ to }) => to);
  const approvers = request.approvers.length === 0 ? [] : [...new Set([...request.approvers, ...asked])];
  return escalation.reduce<HumanRequest>(
    (told, stage, index) =>
      stage.asked && before[index]?.asked === false
        ? withDeliveries(told, 'escalated', index + 1, nowMs)
        : told,
    { ...request, escalation, approvers },
  );
}
