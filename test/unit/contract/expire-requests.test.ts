import { expect, it } from 'vitest';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import {
  emptyLedger,
  expireRequests,
  nextDeadline,
  settleDecision,
} from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt, runId } from './human-request.fixture.js';

function dueAt(ms: number, parts: Partial<HumanRequest> = {}): HumanRequest {
  return aRequest({ deadline: new Date(openedAt + ms).toISOString(), ...parts });
}

it('gives defaults to the requests whose time is over, and to no others', () => {
  const ledger = ledgerWith(
    dueAt(10, { position: '1', default: true }),
    dueAt(20, { position: '2', kind: 'input', default: 'none' }),
    dueAt(21, { position: '3' }),
    aRequest({ position: '4' }),
  );
  const { ledger: next, expired } = expireRequests(ledger, openedAt + 20);
  const answer = { timed_out: true, by: null, comment: null };
  expect(expired).toEqual([
    { id: `${runId}/1`, answer: { ...answer, value: true } },
    { id: `${runId}/2`, answer: { ...answer, value: 'none' } },
  ]);
  expect(next.open.map(({ position }) => position)).toEqual(['3', '4']);
  expect(next.closed.map(({ how }) => how)).toEqual(['timed_out', 'timed_out']);
});

it.each([
  ['approval', true, true],
  ['approval', null, false],
  ['approval', 'false', false],
  ['approval', 1, false],
  ['input', null, null],
  ['review', 'reject', { decision: 'reject', feedback: null, edited_artifact: null }],
  ['review', null, null],
  ['review', 5, 5],
] as const)('%s with the default %j gives %j', (kind, byDefault, value) => {
  const { expired } = expireRequests(ledgerWith(dueAt(5, { kind, default: byDefault })), openedAt + 5);
  expect(expired[0]?.answer.value).toEqual(value);
});

it('changes nothing before the first deadline', () => {
  const ledger = ledgerWith(dueAt(5));
  expect(expireRequests(ledger, openedAt + 4)).toEqual({ ledger, expired: [] });
});

it('comes after the decisions of the same step', () => {
  const request = dueAt(5);
  const { ledger } = settleDecision(ledgerWith(request), { request: request.id, value: true }, openedAt + 5);
  expect(expireRequests(ledger, openedAt + 5).expired).toEqual([]);
});

it('knows the next deadline', () => {
  expect(nextDeadline(emptyLedger(runId))).toBeNull();
  expect(nextDeadline(ledgerWith(aRequest()))).toBeNull();
  const ledger = ledgerWith(dueAt(9, { position: '1' }), dueAt(7, { position: '2' }), aRequest());
  expect(nextDeadline(ledger)).toBe(openedAt + 7);
});
