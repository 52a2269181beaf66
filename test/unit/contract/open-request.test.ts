import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/contract/people/decision.js';
import { changesOf } from '../../../src/contract/engine.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import {
  emptyLedger,
  expireRequests,
  findVerdict,
  forgetAnswer,
  openRequest,
  settleDecision,
  type Ledger,
} from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt, runId } from './human-request.fixture.js';

const request = aRequest();

function send(ledger: Ledger, ...decisions: Partial<Decision>[]): Ledger {
  return decisions.reduce(
    (next, parts) =>
      settleDecision(next, { request: request.id, value: true, ...parts }, openedAt - 1).ledger,
    ledger,
  );
}

describe('early decisions', () => {
  it('answer a request as soon as it opens, the first valid one first', () => {
    const ledger = send(
      emptyLedger(runId),
      { value: 'yes', id: 'a' },
      { value: false, id: 'b', by: 'bob' },
      { value: true, id: 'c' },
      { value: false, id: 'd' },
    );
    const opened = openRequest(ledger, request, openedAt);
    expect(opened.answer).toEqual({
      ...{ value: false, timed_out: false, by: 'bob', comment: null, early: true },
    });
    expect(opened.ledger).toMatchObject({
      open: [],
      early: [],
      closed: [{ how: 'decided', decisionId: 'b' }],
    });
    const outcomes = ['a', 'b', 'c', 'd'].map((id) => findVerdict(opened.ledger, id)?.outcome);
    expect(outcomes).toEqual(['invalid', 'accepted', 'late', 'duplicate']);
  });

  it('leave the request open where none is valid', () => {
    const guarded = aRequest({ approvers: ['alice'] });
    const opened = openRequest(send(emptyLedger(runId), { by: 'mallory', id: 'a' }), guarded, openedAt);
    expect(opened.answer).toBeNull();
    expect(opened.ledger).toMatchObject({ open: [guarded], early: [] });
    expect(findVerdict(opened.ledger, 'a')?.outcome).toBe('not_allowed');
  });

  it.each<[string, Partial<HumanRequest>]>([
    ['approvers', { approvers: ['alice', 'bob'] }],
    ['a requester', { requester: 'zoe' }],
    ['a quorum', { quorum: 2, approvers: [] }],
  ])('that are bound to nothing that was shown are taken by no request with %s', (_name, parts) => {
    const guarded = aRequest(parts);
    const { digest } = guarded;
    const unseen = openRequest(send(emptyLedger(runId), { by: 'bob', id: 'a' }), guarded, openedAt);
    expect(unseen.answer).toBeNull();
    expect(unseen.ledger.open).toEqual([guarded]);
    expect(findVerdict(unseen.ledger, 'a')).toMatchObject({
      outcome: 'not_allowed',
      message: expect.stringContaining('look at it, and decide again') as string,
    });
    // Who names the text has seen it; a run of an older engine takes either.
    const seen = openRequest(send(emptyLedger(runId), { by: 'bob', digest, id: 'b' }), guarded, openedAt);
    expect(findVerdict(seen.ledger, 'b')?.outcome).toBe('accepted');
    expect(seen.answer?.early).toBeUndefined();
    const older = openRequest(
      send(emptyLedger(runId), { by: 'bob', id: 'c' }),
      guarded,
      openedAt,
      changesOf(8),
    );
    expect(findVerdict(older.ledger, 'c')?.outcome).toBe('accepted');
  });

  it('that are bound to what was shown are answers like any', () => {
    const ledger = send(emptyLedger(runId), { by: 'bob', digest: request.digest });
    expect(openRequest(ledger, request, openedAt).answer).toEqual({
      ...{ value: true, timed_out: false, by: 'bob', comment: null },
    });
  });

  it('are kept once', () => {
    const ledger = send(emptyLedger(runId), { id: 'a' }, { by: 'bob' });
    expect(send(ledger, { id: 'a', value: false }, { by: 'bob' })).toBe(ledger);
    expect(send(ledger, { by: 'alice' }, { by: 'bob', comment: 'why' }).early).toHaveLength(4);
  });

  it('are kept up to 100, and none is dropped unseen', () => {
    let ledger = emptyLedger(runId);
    for (let i = 0; i < 100; i++) ledger = send(ledger, { request: `${runId}/${i}`, id: `d${i}` });
    const { ledger: full, verdict } = settleDecision(
      ledger,
      { request: `${runId}/100`, value: true },
      openedAt,
    );
    expect(verdict.outcome).toBe('unknown');
    expect(verdict.message).toContain('was not kept');
    expect(full.early).toStrictEqual(ledger.early);
  });

  it('are kept up to 256 KiB together', () => {
    const value = 'x'.repeat(100 * 1024);
    const ledger = send(emptyLedger(runId), { value, id: 'a' }, { value, id: 'b' }, { value, id: 'c' });
    expect(ledger.early.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(findVerdict(ledger, 'c')?.outcome).toBe('unknown');
  });

  it.each<[string, Partial<Decision>]>([
    ['value', { value: 'x'.repeat(300_000) }],
    ['comment', { comment: 'x'.repeat(20_000) }],
  ])('with an oversized %s are refused at once', (_name, parts) => {
    const ledger = send(emptyLedger(runId), { ...parts, id: 'a' });
    expect(ledger.early).toEqual([]);
    expect(findVerdict(ledger, 'a')?.outcome).toBe('invalid');
  });

  it('on a position that opens no request are given back', () => {
    const ledger = send(
      emptyLedger(runId),
      { request: `${runId}/2`, id: 'a' },
      { request: `${runId}/4`, id: 'b' },
    );
    const opened = openRequest(ledger, request, openedAt).ledger;
    expect(opened.early.map(({ id }) => id)).toEqual(['b']);
    expect(findVerdict(opened, 'a')?.outcome).toBe('unknown');
  });
});

describe('a request that is asked again, after continue-as-new', () => {
  const deadline = new Date(openedAt + 1_000).toISOString();
  const first = aRequest({ deadline });
  const again = aRequest({
    deadline: new Date(openedAt + 5_000).toISOString(),
    created_at: new Date(openedAt + 4_000).toISOString(),
  });

  it('keeps its times', () => {
    const opened = openRequest(ledgerWith(first), again, openedAt + 4_000);
    expect(opened).toEqual({ ledger: ledgerWith(first), answer: null });
  });

  it('gives the answer that came meanwhile', () => {
    const decided = settleDecision(ledgerWith(first), { request: first.id, value: true }, openedAt).ledger;
    expect(openRequest(decided, again, openedAt + 4_000)).toMatchObject({
      ledger: decided,
      answer: { value: true },
    });
    const expired = expireRequests(ledgerWith(first), openedAt + 2_000).ledger;
    expect(openRequest(expired, again, openedAt + 4_000).answer).toMatchObject({
      value: false,
      timed_out: true,
    });
  });

  it('is asked anew once its answer was forgotten', () => {
    const decided = settleDecision(ledgerWith(first), { request: first.id, value: true }, openedAt).ledger;
    const opened = openRequest(forgetAnswer(decided, first.id), again, openedAt + 4_000);
    expect(opened).toMatchObject({ ledger: { open: [again], closed: [] }, answer: null });
  });

  it('is another question where it shows something else', () => {
    const other = aRequest({ message: 'Deploy twice?' });
    const open = openRequest(ledgerWith(first), other, openedAt + 4_000).ledger;
    expect(open.open).toEqual([other]);
    const forOld = { request: other.id, value: true, digest: first.digest };
    expect(settleDecision(open, forOld, openedAt).verdict.outcome).toBe('invalid');
    const decided = settleDecision(ledgerWith(first), { request: first.id, value: true }, openedAt).ledger;
    expect(openRequest(decided, other, openedAt)).toMatchObject({ ledger: { open: [other] }, answer: null });
  });
});

describe('a request that is asked again of other people than before', () => {
  const vote = (by: string, value = true) => ({ by, value, comment: null, at: '2026-01-01T00:00:00.000Z' });
  const handed = (by: string, to: string) => ({ by, to, comment: null, at: '2026-01-01T00:00:00.000Z' });
  const went = (before: Partial<HumanRequest>, now: Partial<HumanRequest>): HumanRequest | undefined =>
    openRequest({ ...emptyLedger(runId), open: [aRequest(before)] }, aRequest(now), openedAt).ledger.open[0];

  it.each<[string, Partial<HumanRequest>, Partial<HumanRequest>, Partial<HumanRequest>]>([
    [
      'has the votes of those who may still decide',
      { quorum: 2, approvers: ['ann', 'bob'], votes: [vote('ann'), vote('bob')] },
      { quorum: 3, approvers: ['bob', 'eve', 'zoe'] },
      { approvers: ['bob', 'eve', 'zoe'], votes: [vote('bob')] },
    ],
    [
      'has none of who asks now',
      { quorum: 2, votes: [vote('ann')] },
      { quorum: 2, requester: 'ann' },
      { votes: [] },
    ],
    [
      'stays handed on by those who may decide',
      { approvers: ['bob', 'eve'], delegated: [handed('ann', 'eve')] },
      { approvers: ['ann', 'bob', 'zoe'] },
      { approvers: ['bob', 'zoe', 'eve'], delegated: [handed('ann', 'eve')] },
    ],
    [
      'is not handed on by those who may not',
      { approvers: ['bob', 'eve'], delegated: [handed('ann', 'eve')] },
      { approvers: ['bob', 'zoe'] },
      { approvers: ['bob', 'zoe'] },
    ],
    [
      'is not handed on where too few could decide it then',
      { approvers: ['eve'], delegated: [handed('ann', 'eve')] },
      { quorum: 2 },
      { approvers: [] },
    ],
  ])('%s', (_, before, now, expected) => {
    const next = went(before, now);
    expect(next).toMatchObject(expected);
    if (expected.delegated === undefined) expect(next?.delegated).toBeUndefined();
  });

  it('is decided by those who agreed before, where fewer must agree now', () => {
    const before = { quorum: 3, votes: [vote('ann'), vote('bob')] };
    const opened = openRequest(
      { ...emptyLedger(runId), open: [aRequest(before)] },
      aRequest({ quorum: 2 }),
      openedAt,
    ).ledger;
    const again = settleDecision(opened, { request: request.id, value: true, by: 'bob' }, openedAt);
    expect(again.answer).toMatchObject({ value: true, by: 'ann, bob' });
  });
});
