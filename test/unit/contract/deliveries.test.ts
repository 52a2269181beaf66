import { describe, expect, it } from 'vitest';
import { deliveryTexts } from '../../../src/contract/people/request-text.js';
import { changesOf, newestEngine } from '../../../src/contract/engine.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import {
  askUnreached,
  cancelRequest,
  dueMessages,
  escalateRequest,
  forgetRests,
  nextMessages,
  nextTime,
  noteDelivered,
  noteGone,
  noteUndelivered,
  openRequest,
  remindRequest,
  settleDecision,
  withDeliveries,
  type DueMessage,
  type Ledger,
} from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt } from './human-request.fixture.js';

const minute = 60_000;
const hour = 60 * minute;
const nobody = new Map<string, string>();

function told(parts: Partial<HumanRequest> = {}): HumanRequest {
  return withDeliveries(aRequest({ channels: ['crm', 'ops'], ...parts }), 'asked', 1, openedAt);
}

function due(ledger: Ledger, channel: string): DueMessage {
  const found = dueMessages(ledger).find(({ lane }) => lane === channel);
  if (found === undefined) throw new Error(`nothing is due by ${channel}`);
  return found;
}

const fail = (ledger: Ledger, channel: string, at: number, more: object = {}): Ledger =>
  noteUndelivered(ledger, due(ledger, channel), { problem: 'down', ...more }, nobody, at);
const arrive = (ledger: Ledger, channel: string, at = openedAt): Ledger =>
  noteDelivered(ledger, due(ledger, channel), { closes: true }, at);
const lanes = (ledger: Ledger, at: number, underWay = nobody): string[] =>
  nextMessages(ledger, underWay, at).map(({ lane }) => lane);

describe('a channel', () => {
  it('that is down rests ever longer, four hours at most, and is tried with one message alone', () => {
    let ledger = ledgerWith(...['1', '2', '3'].map((position) => told({ position, channels: ['crm'] })));
    expect(lanes(ledger, openedAt)).toEqual(['crm', 'crm', 'crm']);
    ledger = fail(ledger, 'crm', openedAt);
    // The others are not tried in vain as well.
    expect(ledger.open.map(({ deliveries }) => deliveries?.[0]?.status)).toEqual(
      Array(3).fill('undelivered'),
    );
    const pauses: number[] = [];
    for (let at = openedAt, i = 0; i < 9; i++) {
      const until = ledger.rests?.[0]?.until ?? 0;
      expect(lanes(ledger, until - 1)).toEqual([]);
      expect(lanes(ledger, until)).toEqual(['crm']);
      pauses.push((until - at) / minute);
      at = until;
      ledger = fail(ledger, 'crm', at);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 240, 240, 240]);
    const back = arrive(ledger, 'crm', openedAt + 40 * hour);
    expect(back).not.toHaveProperty('rests');
    expect(lanes(back, openedAt + 40 * hour)).toEqual(['crm', 'crm']);
  });

  it('is tried at once for what has just come up, one at a time, and heeds how long it asks to be left alone', () => {
    const ledger = fail(ledgerWith(told({ channels: ['crm'] })), 'crm', openedAt, { retryAfterMs: 7 * hour });
    expect(ledger.rests).toEqual([{ lane: 'crm', windows: 1, until: openedAt + 7 * hour }]);
    const more = openRequest(ledger, told({ position: '4', channels: ['crm'] }), openedAt).ledger;
    expect(nextMessages(more, nobody, openedAt).map(({ status }) => status)).toEqual(['sending']);
    expect(lanes(more, openedAt, new Map([['other', 'crm']]))).toEqual([]);
  });

  it('that wants no more is left alone for good', () => {
    let ledger = fail(ledgerWith(told()), 'crm', openedAt, { gone: true });
    expect(lanes(ledger, openedAt + 100 * hour)).toEqual(['ops']);
    ledger = openRequest(ledger, told({ position: '4', channels: ['crm'] }), openedAt).ledger;
    ledger = forgetRests(noteGone(ledger, openedAt));
    expect(ledger.open[1]?.deliveries).toMatchObject([
      { status: 'undelivered', problem: 'takes no more messages (410)' },
    ]);
    expect(lanes(ledger, openedAt + 100 * hour)).toEqual(['ops']);
  });

  it('does not rest where one message alone can not be sent, which is tried daily', () => {
    const ledger = fail(ledgerWith(told({ channels: ['crm'] })), 'crm', openedAt, { alone: true });
    const [rest] = ledger.rests ?? [];
    expect(rest).toMatchObject({ windows: 1, until: openedAt + 24 * hour });
    expect(rest?.lane).not.toBe('crm');
    const more = openRequest(ledger, told({ position: '4', channels: ['crm'] }), openedAt).ledger;
    expect(lanes(more, openedAt)).toEqual(['crm']);
  });

  it('takes ten messages at once, and a run sends fifty', () => {
    const many = (channels: string[]): Ledger =>
      ledgerWith(...Array.from({ length: 12 }, (_, i) => told({ position: String(i), channels })));
    expect(lanes(many(['a']), openedAt)).toHaveLength(10);
    expect(lanes(many(['a', 'b', 'c', 'd', 'e', 'f']), openedAt)).toHaveLength(50);
  });

  it('is the host of the URLs that requests bring themselves', () => {
    const urls = ['https://a.example/1', 'https://a.example/2', 'http://a.example/3'];
    const requests = urls.map((callback_url, i) => told({ position: String(i), channels: [], callback_url }));
    expect(lanes(ledgerWith(...requests), openedAt)).toEqual([
      'https://a.example',
      'https://a.example',
      'http://a.example',
    ]);
  });
});

describe('a request', () => {
  it('that is closed is told to those who know of it, whichever way it was closed', () => {
    let ledger = arrive(ledgerWith(told()), 'crm');
    const cancelled = cancelRequest(ledger, 'orders/42/3', openedAt);
    expect(cancelled.closing).toMatchObject([{ channel: 'crm', how: 'cancelled', status: 'sending' }]);
    ledger = settleDecision(ledger, { request: 'orders/42/3', value: true, by: 'ann' }, openedAt).ledger;
    expect(ledger.closing).toMatchObject([{ id: 'orders/42/3', channel: 'crm', how: 'decided', by: 'ann' }]);
    expect(ledger.closed[0]?.answer?.deliveries?.map(({ status }) => status)).toEqual([
      'delivered',
      'sending',
    ]);
    expect(lanes(ledger, openedAt)).toEqual(['crm']);
    expect(arrive(ledger, 'crm')).not.toHaveProperty('closing');
  });

  it('keeps what has become of its messages when the run continues as new', () => {
    const ledger = fail(arrive(ledgerWith(told()), 'crm'), 'ops', openedAt);
    const again = openRequest(ledger, told(), openedAt + hour).ledger;
    expect(again.open).toEqual(ledger.open);
    const other = openRequest(ledger, told({ message: 'Another?' }), openedAt + hour).ledger;
    expect(other.open[0]?.deliveries?.map(({ status }) => status)).toEqual(['sending', 'sending']);
  });

  it('is reminded of where it has been told, a hundred times at most, and once after a long silence', () => {
    const reminder = { every_ms: hour, at: new Date(openedAt + hour).toISOString(), number: 0 };
    let ledger = arrive(ledgerWith(told({ reminder })), 'crm');
    const [request] = ledger.open;
    expect(request && nextTime(request)).toBe(openedAt + hour);
    expect(remindRequest(ledger, 'orders/42/3', openedAt + hour - 1)).toBe(ledger);
    ledger = remindRequest(ledger, 'orders/42/3', openedAt + 10.5 * hour);
    expect(ledger.open[0]?.reminder).toEqual({
      ...{ every_ms: hour, number: 1, at: new Date(openedAt + 11.5 * hour).toISOString() },
    });
    expect(ledger.open[0]?.deliveries?.filter(({ reason }) => reason === 'reminder')).toMatchObject([
      { channel: 'crm', number: 1, status: 'sending' },
    ]);
    for (let i = 2; i <= 100; i++) ledger = remindRequest(ledger, 'orders/42/3', openedAt + 100 * i * hour);
    expect(ledger.open[0]?.reminder).toMatchObject({ number: 100, at: null });
    expect(ledger.open[0]?.deliveries).toHaveLength(3);
  });

  it('is not told twice where others are asked when it is time to remind', () => {
    const at = (hours: number): string => new Date(openedAt + hours * hour).toISOString();
    const request = told({
      approvers: ['ann'],
      reminder: { every_ms: hour, at: at(1), number: 0 },
      escalation: [
        { to: ['boss'], at: at(1), asked: false },
        { to: ['board'], at: at(2.5), asked: false },
      ],
    });
    const pass = (ledger: Ledger, hours: number, holds = changesOf(newestEngine)): Ledger => {
      const now = openedAt + hours * hour;
      return remindRequest(escalateRequest(ledger, 'orders/42/3', now), 'orders/42/3', now, holds);
    };
    const sent = (ledger: Ledger): unknown[] =>
      (ledger.open[0]?.deliveries ?? [])
        .slice(2)
        .map(({ channel, reason, number, reminds }) => [
          ...[channel, reason, number],
          ...(reminds === undefined ? [] : ['reminds']),
        ]);
    // The second channel hasn't heard of it yet: nobody is reminded there.
    const begun = arrive(ledgerWith(request), 'crm');
    const both = pass(begun, 1);
    expect(sent(both)).toEqual([
      ['crm', 'escalated', 1, 'reminds'],
      ['ops', 'escalated', 1],
    ]);
    expect(both.open[0]?.reminder).toEqual({ every_ms: hour, at: at(2), number: 1 });
    const alone = pass(both, 2);
    expect(sent(alone).slice(2)).toEqual([['crm', 'reminder', 2]]);
    // No worker was there when each of them was due.
    expect(sent(pass(both, 9)).slice(2)).toEqual([
      ['crm', 'escalated', 2, 'reminds'],
      ['ops', 'escalated', 2],
    ]);
    expect(sent(pass(begun, 1, changesOf(8))).map((each) => (each as unknown[])[1])).toEqual([
      ...['escalated', 'escalated', 'reminder'],
    ]);
  });

  it('that reaches nobody asks the next at once, and leaves its end where it was', () => {
    const at = (hours: number): string => new Date(openedAt + hours * hour).toISOString();
    const request = told({
      ...{ approvers: ['ann'], on_undelivered: 'escalate', deadline: at(72) },
      escalation: [
        { to: ['boss'], at: at(24), asked: false },
        { to: ['board'], at: at(48), asked: false },
      ],
    });
    const one = fail(ledgerWith(request), 'crm', openedAt);
    expect(askUnreached(one, openedAt + hour)).toEqual({ ledger: one, moved: [] });
    const { ledger, moved } = askUnreached(fail(one, 'ops', openedAt), openedAt + hour);
    expect(moved).toEqual(['orders/42/3']);
    expect(ledger.open[0]).toMatchObject({
      ...{ approvers: ['ann', 'boss'], deadline: at(72) },
      escalation: [
        { to: ['boss'], at: at(1), asked: true, because: 'undelivered' },
        { to: ['board'], at: at(25), asked: false },
      ],
    });
    expect(ledger.open[0]?.deliveries?.filter(({ reason }) => reason === 'escalated')).toHaveLength(2);
    // Once: channels that are down are no reason to ask all.
    expect(askUnreached(ledger, openedAt + 2 * hour).moved).toEqual([]);
    const later = escalateRequest(ledger, 'orders/42/3', openedAt + 25 * hour).open[0];
    expect(later?.deliveries?.filter(({ number }) => number === 2)).toHaveLength(2);
  });

  it('says of each channel what is not as it should be', () => {
    const ledger = fail(arrive(ledgerWith(told()), 'crm'), 'ops', openedAt);
    const at = new Date(openedAt).toISOString();
    expect(deliveryTexts(ledger.open[0]?.deliveries)).toEqual([
      `crm: delivered since ${at}`,
      `ops: undelivered since ${at}: down`,
    ]);
  });
});
