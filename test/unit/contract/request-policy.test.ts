import { describe, expect, it } from 'vitest';
import type { Decision, DecisionOutcome } from '../../../src/contract/people/decision.js';
import { changesOf } from '../../../src/contract/engine.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import {
  escalateRequest,
  expireRequests,
  nextTime,
  openRequest,
  parseDecision,
  parsePlainDecision,
  settleDecision,
  type Ledger,
} from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt } from './human-request.fixture.js';

type Sent = Omit<Decision, 'request' | 'value'> & { value?: JsonValue };

/** Settles one after the other; gives what each came to, and what the procedure got in the end. */
function settled(request: HumanRequest, ...sent: Sent[]) {
  let ledger: Ledger = ledgerWith(request);
  const outcomes: DecisionOutcome[] = [];
  let answer = null;
  let message = '';
  for (const [i, decision] of sent.entries()) {
    const whole = { value: null, request: request.id, ...decision };
    const settlement = settleDecision(ledger, whole, openedAt + 1_000 * (i + 1));
    ledger = settlement.ledger;
    outcomes.push(settlement.verdict.outcome);
    ({ message } = settlement.verdict);
    answer ??= settlement.answer;
  }
  return { ledger, outcomes, answer, message, open: ledger.open[0] ?? null };
}

const yes = (by?: string): Sent => ({ value: true, ...(by === undefined ? {} : { by }) });
const no = (by: string): Sent => ({ value: false, by });

describe('a moment after which no decision counts', () => {
  const expiring = aRequest({ expires_at: new Date(openedAt + 1_500).toISOString() });

  it('is late for whoever comes after it, though the request is open', () => {
    const { outcomes, message, open } = settled({ ...expiring, quorum: 2 }, yes('ann'), yes('bob'), {
      ...{ action: 'delegate', by: 'bob', to: 'eve' },
    });
    expect(outcomes).toEqual(['accepted', 'late', 'late']);
    expect(message).toContain('no decision counts since');
    expect(open).not.toBeNull();
  });

  it('is none for whoever comes before', () => {
    expect(settled(expiring, yes('ann')).outcomes).toEqual(['accepted']);
  });
});

describe('a quorum', () => {
  const two = aRequest({ quorum: 2 });

  it('is decided by as many as agree, and says who they were', () => {
    const { outcomes, answer } = settled(two, yes('ann'), yes('bob'));
    expect(outcomes).toEqual(['accepted', 'accepted']);
    expect(answer).toEqual({
      value: true,
      timed_out: false,
      by: 'ann, bob',
      comment: null,
      votes: [
        { by: 'ann', value: true, comment: null, at: new Date(openedAt + 1_000).toISOString() },
        { by: 'bob', value: true, comment: null, at: new Date(openedAt + 2_000).toISOString() },
      ],
    });
  });

  it('is no quorum of one who says it twice, nor of nobody', () => {
    const { outcomes, answer, open, message } = settled(two, yes('ann'), yes('ann'), yes());
    expect(outcomes).toEqual(['accepted', 'duplicate', 'not_allowed']);
    expect(message).toContain('it matters who decides');
    expect(answer).toBeNull();
    expect(open?.votes).toHaveLength(1);
  });

  it('of an approval ends with the first no', () => {
    const { answer, outcomes } = settled(aRequest({ quorum: 3 }), yes('ann'), no('bob'), yes('eve'));
    expect(answer).toMatchObject({ value: false, by: 'bob' });
    expect(outcomes).toEqual(['accepted', 'accepted', 'late']);
  });

  it('says how far it is', () => {
    expect(settled(two, yes('ann')).message).toBe('counted: 1 of 2 say true');
  });

  it.each([
    ['a selection', { kind: 'select', options: ['eu', 'us'] }, ['eu', 'us', 'us'], 'us'],
    [
      'a review, whatever is said beside it',
      { kind: 'review', options: ['approve', 'revise'] },
      [{ decision: 'approve', feedback: 'fine' }, 'approve'],
      { decision: 'approve', feedback: null, edited_artifact: null },
    ],
  ] as const)('%s', (_, parts, values, expected) => {
    const request = aRequest({ ...parts, options: [...parts.options], quorum: 2 });
    const { answer } = settled(request, ...values.map((value, i) => ({ value, by: `p${i}` })));
    expect(answer?.value).toEqual(expected);
  });

  it('counts those who change their mind once', () => {
    const choice = aRequest({ kind: 'select', options: ['eu', 'us'], quorum: 2 });
    const { answer, open } = settled(choice, { value: 'eu', by: 'ann' }, { value: 'us', by: 'ann' });
    expect(answer).toBeNull();
    expect(open?.votes).toMatchObject([{ by: 'ann', value: 'us' }]);
  });

  it('keeps what was said when the run asks again, as it does when it continues as new', () => {
    const { ledger } = settled(two, yes('ann'));
    const again = openRequest(ledger, { ...two, created_at: 'later' }, openedAt + 9_000).ledger;
    expect(again.open[0]).toMatchObject({ created_at: two.created_at, votes: [{ by: 'ann' }] });
  });

  it('counts what came early', () => {
    const early = { request: two.id, value: true, digest: two.digest };
    let ledger: Ledger = { ...ledgerWith(), runId: two.run_id };
    for (const by of ['ann', 'bob']) ledger = settleDecision(ledger, { ...early, by }, openedAt).ledger;
    expect(openRequest(ledger, two, openedAt).answer).toMatchObject({ value: true, by: 'ann, bob' });
  });
});

describe('who asks', () => {
  const asked = aRequest({ requester: 'ann', approvers: ['ann', 'bob'] });

  it('may not decide', () => {
    const { outcomes, answer } = settled(asked, yes('ann'), yes(), yes('bob'));
    expect(outcomes).toEqual(['not_allowed', 'not_allowed', 'accepted']);
    expect(answer).toMatchObject({ by: 'bob' });
  });

  it('alone may take the request back', () => {
    const { outcomes, answer } = settled(
      asked,
      { action: 'withdraw', by: 'bob' },
      { action: 'withdraw', by: 'ann', comment: 'too late' },
      { action: 'withdraw', by: 'ann' },
      yes('bob'),
    );
    expect(outcomes).toEqual(['not_allowed', 'accepted', 'duplicate', 'late']);
    expect(answer).toEqual({
      value: null,
      timed_out: false,
      by: 'ann',
      comment: 'too late',
      withdrawn: true,
    });
  });
});

describe('a request that is handed on', () => {
  const asked = aRequest({ approvers: ['ann', 'bob'], requester: 'zoe' });

  it('is decided by whoever has it now', () => {
    const { outcomes, answer, ledger } = settled(
      asked,
      { action: 'delegate', to: 'eve', by: 'ann', comment: 'on holiday' },
      yes('ann'),
      yes('eve'),
    );
    expect(outcomes).toEqual(['accepted', 'not_allowed', 'accepted']);
    expect(answer).toMatchObject({ value: true, by: 'eve' });
    expect(ledger.open).toEqual([]);
  });

  it.each<[string, Sent]>([
    ['by a stranger', { action: 'delegate', to: 'eve', by: 'mallory' }],
    ['by nobody', { action: 'delegate', to: 'eve' }],
    ['to oneself', { action: 'delegate', to: 'ann', by: 'ann' }],
    ['to who is asked already', { action: 'delegate', to: 'bob', by: 'ann' }],
    ['to who asks', { action: 'delegate', to: 'zoe', by: 'ann' }],
  ])('not %s', (_, sent) => {
    const { outcomes, open } = settled(asked, sent);
    expect(outcomes).toEqual(['not_allowed']);
    expect(open?.approvers).toEqual(['ann', 'bob']);
  });

  it('not by who has decided already', () => {
    const sent = { action: 'delegate', to: 'eve', by: 'ann' } as const;
    expect(settled({ ...asked, quorum: 2 }, yes('ann'), sent).outcomes).toEqual(['accepted', 'not_allowed']);
  });

  it.each<[string, Partial<HumanRequest>, Sent[], string]>([
    [
      'where anybody may decide, and two must agree',
      { quorum: 2 },
      [{ action: 'delegate', by: 'bob', to: 'ann' }],
      '2 people must agree, and 1 may: ann',
    ],
    [
      'to who has decided already',
      { quorum: 2 },
      [yes('ann'), { action: 'delegate', by: 'bob', to: 'ann' }],
      '2 people must agree, and 1 may: ann',
    ],
    [
      'to who is asked later',
      { quorum: 2, approvers: ['ann'], escalation: [{ to: ['bob'], at: '2027-01-01', asked: false }] },
      [{ action: 'delegate', by: 'ann', to: 'bob' }],
      '2 people must agree, and 1 may: bob',
    ],
    [
      'where those who have decided say different things, and have no say any more',
      { kind: 'select', options: ['eu', 'us'], quorum: 3 },
      [
        { value: 'eu', by: 'ann' },
        { value: 'us', by: 'bob' },
        { action: 'delegate', by: 'eve', to: 'zoe' },
      ],
      '3 people must agree, and 2 may: zoe, 1 who has decided',
    ],
  ])('not where too few could decide then: %s', (_, parts, sent, problem) => {
    const before = aRequest(parts);
    const { outcomes, message, open } = settled(before, ...sent);
    expect(outcomes.at(-1)).toBe('not_allowed');
    expect(message).toContain(`it could not be decided: ${problem}`);
    expect(open?.approvers).toEqual(before.approvers);
    expect(open?.delegated).toBeUndefined();
  });

  it('goes on where those who have decided and those who may are enough', () => {
    const one = { action: 'delegate', by: 'bob', to: 'eve' } as const;
    const { outcomes, answer } = settled(aRequest({ quorum: 2 }), yes('ann'), one, yes('dora'), yes('eve'));
    expect(outcomes).toEqual(['accepted', 'accepted', 'not_allowed', 'accepted']);
    expect(answer).toMatchObject({ value: true, by: 'ann, eve' });
  });

  it('in a run that began before is handed on as it was', () => {
    const asked = aRequest({ quorum: 2 });
    const decision = { request: asked.id, value: null, action: 'delegate', by: 'bob', to: 'ann' } as const;
    const settlement = settleDecision(ledgerWith(asked), decision, openedAt, undefined, changesOf(8));
    expect(settlement.verdict.outcome).toBe('accepted');
  });

  it('stays so when the run asks again', () => {
    const { ledger } = settled(asked, { action: 'delegate', to: 'eve', by: 'ann' });
    expect(openRequest(ledger, asked, openedAt).ledger.open[0]?.approvers).toEqual(['bob', 'eve']);
  });
});

describe('others are asked in their time', () => {
  const at = (ms: number): string => new Date(openedAt + ms).toISOString();
  const asked = aRequest({
    approvers: ['ann'],
    deadline: at(3_000),
    escalation: [
      { to: ['boss'], at: at(1_000), asked: false },
      { to: ['board', 'boss'], at: at(2_000), asked: false },
    ],
  });

  it('each besides those who were asked before', () => {
    let ledger = ledgerWith(asked);
    const seen: [number | null, string[]][] = [];
    for (const ms of [1_000, 2_000]) {
      ledger = escalateRequest(ledger, asked.id, openedAt + ms);
      const [open] = ledger.open;
      if (open !== undefined) seen.push([nextTime(open), open.approvers]);
    }
    expect(seen).toEqual([
      [openedAt + 2_000, ['ann', 'boss']],
      [openedAt + 3_000, ['ann', 'boss', 'board']],
    ]);
    expect(expireRequests(ledger, openedAt + 3_000).expired).toHaveLength(1);
  });

  it('and have no say before', () => {
    expect(settled(asked, yes('boss')).outcomes).toEqual(['not_allowed']);
  });
});

it('what ends in an error has no default', () => {
  const asked = aRequest({ deadline: new Date(openedAt).toISOString(), on_timeout: 'error', default: true });
  expect(expireRequests(ledgerWith(asked), openedAt).expired[0]?.answer).toMatchObject({
    value: null,
    timed_out: true,
  });
});

describe('what is read', () => {
  it.each([
    [{ action: 'withdraw' }, { action: 'withdraw', value: null }],
    [
      { action: 'delegate', to: 'eve' },
      { action: 'delegate', to: 'eve', value: null },
    ],
    [{ action: 'delegate' }, 'needs to'],
    [{ action: 'delegate', to: '' }, 'is a text'],
    [{ action: 'approve' }, 'delegate or withdraw'],
    [{ action: 'withdraw', value: true }, 'gives no value'],
    [{ value: true, to: 'eve' }, 'only a decision that delegates has to'],
    [{ action: 7 }, 'delegate or withdraw'],
  ])('%j', (sent, expected) => {
    const read = parseDecision({ request: 'r/1', ...sent });
    if (typeof expected === 'string') expect(read).toContain(expected);
    else expect(read).toEqual({ request: 'r/1', ...expected });
  });

  it('by runs that began before: answers alone', () => {
    expect(parsePlainDecision({ request: 'r/1', action: 'withdraw' })).toContain('began before');
    expect(parsePlainDecision({ request: 'r/1', value: 1 })).toMatchObject({ value: 1 });
  });
});
