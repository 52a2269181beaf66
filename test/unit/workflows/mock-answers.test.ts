import { describe, expect, it } from 'vitest';
import type { HumanForm, HumanItem, HumanRequest } from '../../../src/contract/people/human-request.js';
import { openRequest, settleDecision } from '../../../src/contract/people/ledger.js';
import { mockAnswer } from '../../../src/workflows/mocks/mock-answers.js';
import { aRequest, ledgerWith, openedAt } from '../contract/human-request.fixture.js';

const choices = ['a', 'b', 'c'].map((value) => ({ value, label: value }));
const options = choices.map(({ value }) => value);
const select: HumanForm = { type: 'select', multiple: false, min: 1, max: null, choices };
const several: HumanForm = { ...select, multiple: true, min: 2 };
const upload: HumanForm = { type: 'upload', accept: ['image/*', '.pdf'], max_size: 10, multiple: false };
const item = (id: string, parts: Partial<HumanItem> = {}): HumanItem => ({
  ...{ id, label: id, kind: 'input', message: id, options: [], required: true, default: null },
  ...parts,
});

const requests: [string, HumanRequest][] = [
  ['an approval', aRequest()],
  ['an input', aRequest({ kind: 'input', options })],
  ['one of several', aRequest({ kind: 'select', options, form: select })],
  ['some of several', aRequest({ kind: 'select', options, form: several })],
  ['a file', aRequest({ kind: 'upload', form: upload })],
  ['a file of any kind', aRequest({ kind: 'upload', form: { ...upload, accept: [], multiple: true } })],
  ['an escalation', aRequest({ kind: 'escalation' })],
  [
    'several questions',
    aRequest({
      kind: 'multiple',
      form: {
        type: 'items',
        items: [
          item('text'),
          item('sure', { kind: 'approval' }),
          item('one', { kind: 'select', options, form: select }),
          item('verdict', { kind: 'review', options: ['good', 'bad'] }),
          item('file', { kind: 'upload', form: upload }),
        ],
      },
    }),
  ],
];

describe('somebody who goes along with everything', () => {
  it.each(requests)('has an answer to %s', (_name, request) => {
    const { value, isUsual } = mockAnswer([], request);
    expect(isUsual).toBe(true);
    const { ledger } = openRequest(ledgerWith(), request, openedAt);
    const settled = settleDecision(ledger, { request: request.id, value: value ?? null }, openedAt);
    expect(settled.verdict).toMatchObject({ outcome: 'accepted' });
  });
});
