import { expect, it } from 'vitest';
import type { Delivery } from '../../../../src/contract/people/channels/channel.js';
import type { HumanRequest } from '../../../../src/contract/people/human-request.js';
import { dueMessages, withDeliveries } from '../../../../src/contract/people/ledger.js';
import { messageInput, type TellingRun } from '../../../../src/workflows/people/message-input.js';
import { aRequest, ledgerWith, openedAt, runId } from '../../contract/human-request.fixture.js';

const run: TellingRun = {
  ...{ runId, firstExecutionId: 'first', procedure: 'orders', isSigned: false, heartbeatMs: 1_000 },
};

function inputsOf(
  parts: Partial<HumanRequest>,
  more: Partial<TellingRun> = {},
): ReturnType<typeof messageInput>[] {
  const request = withDeliveries(aRequest({ channels: ['crm'], ...parts }), 'asked', 1, openedAt);
  return dueMessages(ledgerWith(request)).map((message) => messageInput(message, { ...run, ...more }));
}

it('a request of any size is a message that fits into history', () => {
  const long = '漢😀'.repeat(200_000);
  const names = [long, ...Array.from({ length: 10_000 }, (_, i) => `person-${i}`)];
  const [input] = inputsOf({
    ...{ message: long, context: long, options: [long], default: long, approvers: names, requester: long },
    ...{ metadata: { long }, votes: [{ by: long, value: long, comment: long, at: '' }] },
    escalation: [{ to: names, at: '', asked: false }],
  });
  expect(Buffer.byteLength(JSON.stringify(input))).toBeLessThan(40_000);
  expect(input?.request).toMatchObject({ id: `${runId}/3`, whole: false, context: null });
  expect(input?.to?.length).toBeGreaterThan(100);
});

it('a message of one run has one key, and another of a run that had the same id before', () => {
  const [first] = inputsOf({});
  expect(inputsOf({})[0]?.key).toBe(first?.key);
  expect(inputsOf({}, { firstExecutionId: 'second' })[0]?.key).not.toBe(first?.key);
  expect(inputsOf({ message: 'Another?' })[0]?.key).not.toBe(first?.key);
  expect(first?.request).toMatchObject({ whole: true });
  expect(first?.request).not.toHaveProperty('deliveries');
});

it('it is meant for those who were asked from the beginning, and have said nothing; null: anybody', () => {
  const approvers = ['ann', 'bob', 'boss', 'eve'];
  const [input] = inputsOf({
    ...{ approvers, votes: [{ by: 'bob', value: true, comment: null, at: '' }] },
    escalation: [{ to: ['boss'], at: '', asked: true }],
    delegated: [{ by: 'zoe', to: 'eve', comment: null, at: '' }],
  });
  expect(input?.to).toEqual(['ann']);
  expect(inputsOf({ approvers: [] })[0]?.to).toBeNull();
});

it('of an escalation it is meant for those who are asked then, and for all where it reminds as well', () => {
  const people = {
    approvers: ['ann', 'bob', 'boss'],
    votes: [{ by: 'bob', value: true, comment: null, at: '' }],
    escalation: [{ to: ['boss'], at: '', asked: true }],
  };
  const to = (more: object, parts: Partial<HumanRequest> = people): unknown => {
    const delivery = { channel: 'crm', reason: 'escalated', number: 1, status: 'sending', at: '', ...more };
    const request = aRequest({ ...parts, channels: ['crm'], deliveries: [delivery as Delivery] });
    return dueMessages(ledgerWith(request)).map((message) => messageInput(message, run).to)[0];
  };
  expect(to({})).toEqual(['boss']);
  expect(to({ reminds: true })).toEqual(['boss', 'ann']);
  expect(to({ reminds: true }, { ...people, approvers: [] })).toBeNull();
});
