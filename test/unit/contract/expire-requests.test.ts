import { expect, it } from 'vitest';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { expireRequests, nextTime, settleDecision } from '../../../src/contract/people/ledger.js';
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

it('knows when something becomes of a request by itself', () => {
  const at = (ms: number): string => new Date(openedAt + ms).toISOString();
  expect(nextTime(aRequest())).toBeNull();
  expect(nextTime(dueAt(9))).toBe(openedAt + 9);
  const reminder = { at: at(7), every_ms: 7, number: 0 };
  expect(nextTime({ ...dueAt(9), reminder })).toBe(openedAt + 7);
  expect(nextTime({ ...dueAt(9), reminder: { ...reminder, at: null } })).toBe(openedAt + 9);
  const escalation = [{ at: at(3), to: ['bob'], asked: true }];
  expect(nextTime({ ...dueAt(9), reminder, escalation })).toBe(openedAt + 7);
});
