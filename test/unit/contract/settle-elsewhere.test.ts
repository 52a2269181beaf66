import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/contract/people/decision.js';
import {
  cancelRequest,
  emptyLedger,
  expireRequests,
  findVerdict,
  settleDecision,
  type Ledger,
} from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt, runId } from './human-request.fixture.js';

const later = openedAt + 60_000;
const request = aRequest({ deadline: new Date(later).toISOString() });
const approve: Decision = { request: request.id, value: true, by: 'alice', id: 'd1' };

function outcomeOf(ledger: Ledger, decision: Decision): string {
  return settleDecision(ledger, decision, later + 1).verdict.outcome;
}

describe('a decision on a decided request', () => {
  const { ledger } = settleDecision(ledgerWith(request), approve, openedAt + 1);

  it.each<[string, Partial<Decision>, string]>([
    ['the same again', {}, 'duplicate'],
    ['its id with another value', { value: false }, 'duplicate'],
    ['its value with another id', { id: 'd2' }, 'duplicate'],
    ['its value in another form', { id: 'd2', value: { approved: true, comment: 'yes!' } }, 'duplicate'],
    ['its value from someone else', { id: 'd2', by: 'bob' }, 'duplicate'],
    ['its value for the same text', { id: 'd2', digest: request.digest }, 'duplicate'],
    ['its value for another text', { id: 'd2', digest: 'another' }, 'late'],
    ['another value', { id: 'd2', value: false }, 'late'],
    ['nonsense', { id: 'd2', value: 'true' }, 'late'],
  ])('%s', (_name, parts, outcome) => {
    const settled = settleDecision(ledger, { ...approve, ...parts }, later);
    expect(settled.verdict.outcome).toBe(outcome);
    expect(settled.answer).toBeNull();
    expect(settled.ledger.closed).toStrictEqual(ledger.closed);
    if (outcome === 'duplicate') expect(settled.ledger).toBe(ledger);
  });

  it('says what was decided, by whom and when', () => {
    const { verdict } = settleDecision(ledger, { ...approve, id: 'd2', value: false }, later);
    expect(verdict.message).toBe('too late: decided by "alice" at 2026-01-01T00:00:00.001Z: true');
  });

  it('keeps the first verdict for who looks later', () => {
    const again = settleDecision(ledger, approve, later).ledger;
    const late = settleDecision(again, { ...approve, id: 'd2', value: false }, later).ledger;
    expect(findVerdict(late, 'd1')?.outcome).toBe('accepted');
    expect(findVerdict(late, 'd2')?.outcome).toBe('late');
    expect(findVerdict(late, request.id)?.outcome).toBe('late');
    expect(findVerdict(late, '__proto__')).toBeNull();
  });
});

describe('a decision on a request that closed otherwise', () => {
  it('is late after the time was over, with the same value as the default too', () => {
    const { ledger } = expireRequests(ledgerWith(request), later);
    expect(outcomeOf(ledger, { ...approve, value: false })).toBe('late');
    expect(settleDecision(ledger, approve, later).verdict.message).toBe(
      'too late: the time was over at 2026-01-01T00:01:00.000Z, and false was taken',
    );
  });

  it('is late after it was withdrawn', () => {
    const ledger = cancelRequest(ledgerWith(request), request.id, later);
    const { verdict } = settleDecision(ledger, approve, later);
    expect(verdict.outcome).toBe('late');
    expect(verdict.message).toBe('too late: the request was withdrawn at 2026-01-01T00:01:00.000Z');
  });

  it('changes nothing to withdraw a request twice or one that nobody knows', () => {
    const ledger = cancelRequest(ledgerWith(request), request.id, later);
    expect(cancelRequest(ledger, request.id, later + 1)).toBe(ledger);
    expect(cancelRequest(ledger, `${runId}/77`, later)).toBe(ledger);
  });
});

describe('a decision with an id that names no request here', () => {
  const ledger = ledgerWith(aRequest({ position: '4.0.2' }), aRequest({ position: '5' }));

  it.each<[string, string, string]>([
    ['another run', 'orders/43/5', 'belongs to run "orders/43"'],
    ['the parent run', 'orders/5', 'belongs to run "orders"'],
    ['a child run', 'orders/42/6/0', 'belongs to run "orders/42/6"'],
    ['a grandchild run', 'orders/42/6/4.0.2/1', 'belongs to run "orders/42/6/4.0.2"'],
    ['a run that begins alike', 'orders/421/5', 'belongs to run "orders/421"'],
    ['a dot for a slash', 'orders/42.5', 'belongs to run "orders"'],
    ['the run alone', 'orders/42', 'belongs to run "orders"'],
    ['no position', 'orders/42/', 'is not the id of a request'],
    ['a word', 'orders/42/x', 'is not the id of a request'],
    ['a leading zero', 'orders/42/05', 'is not the id of a request'],
    ['a double dot', 'orders/42/4..2', 'is not the id of a request'],
    ['a negative position', 'orders/42/-1', 'is not the id of a request'],
    ['a huge position', 'orders/42/99999999999999999999', 'is not the id of a request'],
    ['a position alone', '5', 'is not the id of a request'],
    ['no run', '/5', 'is not the id of a request'],
    ['a property of every object', '__proto__', 'is not the id of a request'],
    ['a position before a known one', 'orders/42/2', 'has passed'],
    ['a step with a request inside', 'orders/42/4', 'has passed'],
    ['a branch with a request inside', 'orders/42/4.0', 'has passed'],
    ['the same in a branch', 'orders/42/4.0.1', 'has passed'],
  ])('%s is unknown', (_name, id, message) => {
    const settled = settleDecision(ledger, { request: id, value: true }, openedAt);
    expect(settled.verdict.outcome).toBe('unknown');
    expect(settled.verdict.message).toContain(message);
    expect({ ...settled.ledger, verdicts: [] }).toStrictEqual({ ...ledger, verdicts: [] });
  });

  it.each(['6', '5.0', '4.0.3', '4.1.0', '6.2.1'])('position %s is early', (position) => {
    expect(outcomeOf(ledger, { request: `${runId}/${position}`, value: true })).toBe('early');
  });

  it('is unknown where the log says that the run has passed', () => {
    const decision = { request: `${runId}/7`, value: true };
    const settled = settleDecision(ledger, decision, openedAt, (position) => position === '7');
    expect(settled.verdict.outcome).toBe('unknown');
  });

  it('names a long run in full', () => {
    const run = 'r'.repeat(1_000);
    const { verdict } = settleDecision(emptyLedger('x'), { request: `${run}/3`, value: 1 }, openedAt);
    expect(verdict.message).toContain(`"${run}"`);
  });
});
