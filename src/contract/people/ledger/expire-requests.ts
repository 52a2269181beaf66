import type { HumanAnswer, HumanRequest } from '../human-request.js';
import { deliveriesOf } from './begin-deliveries.js';
import { closeRequest } from './close-request.js';
import type { Ledger } from './ledger-shape.js';
import { readAnswerValue } from './read-answer-value.js';

export interface Expiry {
  ledger: Ledger;
  /** Requests whose time is over, with what their procedures get. */
  expired: { id: string; answer: HumanAnswer }[];
}

/** Closes every request whose deadline has come, with its default. Settle the decisions of the same step first. */
export function expireRequests(ledger: Ledger, nowMs: number): Expiry {
  const expired: Expiry['expired'] = [];
  let next = ledger;
  for (const request of ledger.open) {
    if (request.deadline === null || Date.parse(request.deadline) > nowMs) continue;
    const answer = {
      ...{ value: defaultOf(request), timed_out: true, by: null, comment: null },
      ...deliveriesOf(request),
    };
    next = closeRequest(next, request, { how: 'timed_out', at: nowMs, answer, decisionId: null });
    expired.push({ id: request.id, answer });
  }
  return { ledger: next, expired };
}

/** In the form that a decision of the same value would have; an approval is a boolean whatever its default is. */
function defaultOf(request: HumanRequest): HumanAnswer['value'] {
  if (request.on_timeout === 'error') return null;
  const { kind, form } = request;
  const readable = { kind, options: [], ...(form === undefined ? {} : { form }) };
  const read = readAnswerValue(readable, request.default);
  if (typeof read !== 'string') return read.value;
  return request.kind === 'approval' ? false : request.default;
}
