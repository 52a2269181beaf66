import { describe, expect, it } from 'vitest';
import type { Decision, DecisionOutcome } from '../../../src/contract/people/decision.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { settleDecision } from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt } from './human-request.fixture.js';

const approval = aRequest();
const input = aRequest({ kind: 'input' });
const choice = aRequest({ kind: 'input', options: ['red', 'green'] });
const review = aRequest({ kind: 'review', options: ['approve', 'reject'] });
const guarded = aRequest({ approvers: ['alice', 'bob'] });
const odd = '\u001b[31m<b>\u202e\u0000\ud800';

type Row = [name: string, HumanRequest, Omit<Decision, 'request'>, DecisionOutcome, JsonValue?];

const rows: Row[] = [
  ['true', approval, { value: true }, 'accepted', true],
  ['false', approval, { value: false }, 'accepted', false],
  ['an object that approves', approval, { value: { approved: true } }, 'accepted', true],
  ['an object that refuses', approval, { value: { approved: false, comment: 'no' } }, 'accepted', false],
  ['the text "true"', approval, { value: 'true' }, 'invalid'],
  ['the text "false"', approval, { value: 'false' }, 'invalid'],
  ['the text "yes"', approval, { value: 'yes' }, 'invalid'],
  ['the number 1', approval, { value: 1 }, 'invalid'],
  ['the number 0', approval, { value: 0 }, 'invalid'],
  ['null', approval, { value: null }, 'invalid'],
  ['an empty object', approval, { value: {} }, 'invalid'],
  ['a list', approval, { value: [true] }, 'invalid'],
  ['a text inside', approval, { value: { approved: 'true' } }, 'invalid'],
  ['something beside approved', approval, { value: { approved: true, amount: 5 } }, 'invalid'],
  ['a comment that is no text', approval, { value: { approved: true, comment: 7 } }, 'invalid'],
  ['the digest shown', approval, { value: true, digest: approval.digest }, 'accepted', true],
  ['another digest', approval, { value: true, digest: input.digest }, 'invalid'],
  ['16 KiB of comment', approval, { value: true, comment: 'x'.repeat(16_384) }, 'accepted', true],
  ['more than 16 KiB of comment', approval, { value: true, comment: 'x'.repeat(16_385) }, 'invalid'],
  ['too much comment inside', approval, { value: { approved: true, comment: 'é'.repeat(9_000) } }, 'invalid'],

  ['a text', input, { value: 'blue' }, 'accepted', 'blue'],
  ['an empty text', input, { value: '' }, 'accepted', ''],
  ['control characters', input, { value: odd }, 'accepted', odd],
  ['a number', input, { value: 3_000_000_000 }, 'accepted', 3_000_000_000],
  ['a boolean', input, { value: false }, 'accepted', false],
  ['null for an input', input, { value: null }, 'invalid'],
  ['an object for an input', input, { value: { text: 'blue' } }, 'invalid'],
  ['256 KiB', input, { value: 'x'.repeat(262_142) }, 'accepted', 'x'.repeat(262_142)],
  ['more than 256 KiB', input, { value: 'x'.repeat(262_143) }, 'invalid'],
  ['an option', choice, { value: 'green' }, 'accepted', 'green'],
  ['no option', choice, { value: 'blue' }, 'invalid'],
  ['an option in capitals', choice, { value: 'Green' }, 'invalid'],
  ['a number where options are', choice, { value: 1 }, 'invalid'],

  [
    'an option as text',
    review,
    { value: 'approve' },
    'accepted',
    { decision: 'approve', feedback: null, edited_artifact: null },
  ],
  [
    'a whole review',
    review,
    { value: { decision: 'reject', feedback: 'thin', edited_artifact: { text: 'new' } } },
    'accepted',
    { decision: 'reject', feedback: 'thin', edited_artifact: { text: 'new' } },
  ],
  ['another text for a review', review, { value: 'maybe' }, 'invalid'],
  ['true for a review', review, { value: true }, 'invalid'],
  ['an empty review', review, { value: {} }, 'invalid'],
  ['a review without decision', review, { value: { feedback: 'thin' } }, 'invalid'],
  ['feedback that is no text', review, { value: { decision: 'approve', feedback: 1 } }, 'invalid'],
  ['something else in a review', review, { value: { decision: 'approve', score: 1 } }, 'invalid'],
  ['a property of every object', review, { value: 'constructor' }, 'invalid'],

  ['someone listed', guarded, { value: true, by: 'alice' }, 'accepted', true],
  ['someone not listed', guarded, { value: true, by: 'mallory' }, 'not_allowed'],
  ['another case', guarded, { value: true, by: 'Alice' }, 'not_allowed'],
  ['nobody', guarded, { value: true }, 'not_allowed'],
  ['someone not listed with nonsense', guarded, { value: 'yes', by: 'mallory' }, 'not_allowed'],
];

describe('a decision on an open request', () => {
  it.each(rows)('%s', (_name, request, decision, outcome, value) => {
    const ledger = ledgerWith(request);
    const settled = settleDecision(ledger, { request: request.id, ...decision }, openedAt + 1);
    expect(settled.verdict).toMatchObject({ id: request.id, outcome });
    expect(settled.ledger.open.length).toBe(outcome === 'accepted' ? 0 : 1);
    if (outcome === 'accepted') expect(settled.answer).toMatchObject({ value, timed_out: false });
    else expect(settled.answer).toBeNull();
  });

  it('leaves the request open for a better one', () => {
    const refused = settleDecision(
      ledgerWith(guarded),
      { request: guarded.id, value: 'yes', id: 'd1' },
      openedAt,
    );
    const better = { request: guarded.id, value: true, by: 'bob', id: 'd1' };
    expect(settleDecision(refused.ledger, better, openedAt).verdict.outcome).toBe('accepted');
  });

  it('keeps who decided and why', () => {
    const decision = { request: approval.id, value: { approved: true, comment: 'inside' }, by: 'alice' };
    const inside = settleDecision(ledgerWith(approval), decision, openedAt);
    expect(inside.answer).toEqual({ value: true, timed_out: false, by: 'alice', comment: 'inside' });
    const both = settleDecision(ledgerWith(approval), { ...decision, comment: 'outside' }, openedAt);
    expect(both.answer?.comment).toBe('outside');
  });

  it('wins after the deadline too, until the request was expired', () => {
    const late = aRequest({ deadline: new Date(openedAt + 10).toISOString() });
    const settled = settleDecision(ledgerWith(late), { request: late.id, value: true }, openedAt + 99);
    expect(settled.answer).toMatchObject({ value: true, timed_out: false });
  });

  it('never changes the ledger that it was given', () => {
    const ledger = ledgerWith(approval);
    const before = structuredClone(ledger);
    settleDecision(ledger, { request: approval.id, value: true }, openedAt);
    expect(ledger).toStrictEqual(before);
  });

  it('puts nothing into a message that could move a cursor', () => {
    const { verdict } = settleDecision(ledgerWith(choice), { request: choice.id, value: odd }, openedAt);
    expect(verdict.message).toMatch(/^[\x20-\x7e]*$/);
  });
});
