import { describe, expect, it } from 'vitest';
import type { HumanForm, HumanItem, HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { expireRequests, openRequest, settleDecision } from '../../../src/contract/people/ledger.js';
import { aRequest, ledgerWith, openedAt } from './human-request.fixture.js';

const choices = ['a', 'b', 'c', 4].map((value) => ({ value: value as string, label: `Label ${value}` }));
const options = choices.map(({ value }) => value);
const selecting = (parts: Partial<Extract<HumanForm, { type: 'select' }>>): HumanForm => ({
  ...{ type: 'select', multiple: false, min: 1, max: null, choices },
  ...parts,
});
const one = aRequest({ kind: 'select', options, form: selecting({}) });
const some = aRequest({ kind: 'select', options, form: selecting({ multiple: true, max: 2 }), default: [] });

const anItem = (id: string, parts: Partial<HumanItem> = {}): HumanItem => ({
  ...{ id, label: id, kind: 'input', message: `${id}?`, options: [], required: true, default: null },
  ...parts,
});
const several = aRequest({
  kind: 'multiple',
  form: {
    type: 'items',
    items: [
      anItem('target', { kind: 'select', options, form: selecting({}) }),
      anItem('sure', { kind: 'approval' }),
      anItem('notes', { required: false, default: 'none' }),
      anItem('code', { required: false, metadata: { response_schema: { type: 'integer' } } }),
      anItem('toString', { required: false }),
    ],
  },
});

const uploading = (parts: Partial<Extract<HumanForm, { type: 'upload' }>>): HumanRequest =>
  aRequest({
    kind: 'upload',
    form: { type: 'upload', accept: [], max_size: null, multiple: false, ...parts },
  });
const file = { ...uploading({}), default: null };
const pdf = uploading({ accept: ['.pdf', 'image/*'], max_size: 1_000 });
const files = uploading({ multiple: true });

const custom = aRequest({ kind: 'input', form: { type: 'any' } });
const escalation = aRequest({ kind: 'escalation', default: null });
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const bound = aRequest({ kind: 'input', metadata: { response_schema: schema } });
const reviewed = aRequest({ kind: 'review', metadata: { response_schema: schema } });
const needed = aRequest({ kind: 'input', hints: { required: true } });
const onlyYes = aRequest({ metadata: { response_schema: { enum: [true] } } });

type Accepted = [name: string, HumanRequest, given: JsonValue, taken?: JsonValue];
type Refused = [name: string, HumanRequest, given: JsonValue, why: string];

const accepted: Accepted[] = [
  ['a text where one is needed', needed, 'x'],
  ['an empty text where none is', aRequest({ kind: 'input' }), ''],
  ['an option', one, 'b'],
  ['an option that is a number', one, 4],
  ['several options', some, ['c', 'a']],
  [
    'several answers',
    several,
    { target: 'a', sure: { approved: false }, code: 5 },
    { target: 'a', sure: false, notes: 'none', code: 5 },
  ],
  [
    'null for what may be left out',
    several,
    { target: 4, sure: true, notes: null },
    { target: 4, sure: true, notes: 'none' },
  ],
  ['a file', file, { name: 'a.txt', path: '/tmp/a.txt', size: 5 }],
  ['a file elsewhere', file, { name: 'a.txt', url: 'https://example.com/a.txt' }],
  [
    'a media type by either name',
    pdf,
    { name: 'a', path: '/a', size: 5, mime_type: 'image/png; q=1' },
    { name: 'a', path: '/a', size: 5, type: 'image/png; q=1', mime_type: 'image/png; q=1' },
  ],
  ['an ending in capitals', pdf, { name: 'A.PDF', path: '/A.PDF', size: 1_000 }],
  [
    'several files',
    files,
    [
      { name: 'a', path: '/a' },
      { name: 'b', path: '/b' },
    ],
  ],
  ['one of several files', files, { name: 'a', path: '/a' }, [{ name: 'a', path: '/a' }]],
  ['whatever a component gives', custom, { action: 'again', at: [1, null] }],
  ['nothing, by a component', custom, null],
  ['a word on what was settled', escalation, 'restarted it'],
  ['nothing on what was settled', escalation, null],
  ['what fits the schema', bound, { n: 5 }],
  ['the approval that fits the schema', onlyYes, true],
  ['a review with what its schema adds', reviewed, { decision: 'yes', n: 5 }],
];

const refused: Refused[] = [
  ['an empty text where one is needed', needed, ' \n', 'an answer is needed'],
  ['no option', one, 'd', 'none of the options'],
  ['a number as text', one, '4', 'none of the options'],
  ['a list where one is wanted', one, ['a'], 'none of the options'],
  ['one where a list is wanted', some, 'a', 'takes a list'],
  ['too few', some, [], 'at least 1 must be chosen'],
  ['too many', some, ['a', 'b', 'c'], 'at most 2 may be chosen'],
  ['one twice', some, ['a', 'a'], 'chosen twice'],
  ['one that is none', some, ['a', 'z'], 'none of the options'],
  ['null among them', some, [null], 'none of the options'],
  ['a list of answers', several, ['a', true], 'an object of answers by id'],
  ['a missing answer', several, { target: 'a' }, '"sure" needs an answer'],
  ['a wrong answer', several, { target: 'z', sure: true }, '"target": "z" is none of the options'],
  [
    'a text for an approval',
    several,
    { target: 'a', sure: 'yes' },
    '"sure": an approval takes true or false',
  ],
  ['an answer to no question', several, { target: 'a', sure: true, more: 1 }, 'no question "more"'],
  ['an answer against its schema', several, { target: 'a', sure: true, code: 'x' }, '"code": '],
  ['a path alone', file, '/tmp/a.txt', 'an upload takes'],
  ['a file without a name', file, { path: '/a' }, 'the name is missing'],
  ['a file without a place', file, { name: 'a' }, 'where it lies is missing'],
  ['a place that is no text', file, { name: 'a', path: '/a', url: 5 }, 'are texts'],
  ['a size that is none', file, { name: 'a', path: '/a', size: -1 }, 'number of bytes'],
  ['what a file has not', file, { name: 'a', path: '/a', content: 'x' }, 'an upload takes'],
  ['an unknown size', pdf, { name: 'a.pdf', path: '/a.pdf' }, 'the size of "a.pdf" is needed'],
  ['a size too large', pdf, { name: 'a.pdf', path: '/a.pdf', size: 1_001 }, 'at most 1000 are taken'],
  ['another ending', pdf, { name: 'a.doc', path: '/a.doc', size: 5 }, 'is no file of'],
  ['no file of several', files, [], 'at least one file'],
  ["a review that doesn't fit its schema", reviewed, { decision: 'yes' }, "doesn't fit the response_schema"],
  ["what doesn't fit the schema", bound, { n: 'five' }, "doesn't fit the response_schema"],
  ["the approval that doesn't fit the schema", onlyYes, false, "doesn't fit the response_schema"],
];

const settle = (request: HumanRequest, value: JsonValue) =>
  settleDecision(ledgerWith(request), { request: request.id, value }, openedAt + 1);

describe('an answer', () => {
  it.each(accepted)('that is taken: %s', (_name, request, given, taken = given) => {
    const settled = settle(request, given);
    expect(settled.verdict).toMatchObject({ outcome: 'accepted' });
    expect(settled.answer?.value).toEqual(taken);
    const again = settleDecision(settled.ledger, { request: request.id, value: given }, openedAt + 2);
    expect(again.verdict.outcome).toBe('duplicate');
  });

  it.each(refused)('that is refused: %s', (_name, request, given, why) => {
    const { verdict, ledger, answer } = settle(request, given);
    expect(verdict).toMatchObject({ outcome: 'invalid', message: expect.stringContaining(why) as string });
    expect(ledger.open).toHaveLength(1);
    expect(answer).toBeNull();
  });
});

describe('the default of', () => {
  const deadline = new Date(openedAt + 10).toISOString();

  it.each<[string, HumanRequest, JsonValue]>([
    ['a selection', { ...one, default: 'b' }, 'b'],
    ['a selection of several', some, []],
    ['several questions', { ...several, default: { notes: 'none' } }, { notes: 'none' }],
    ['an upload', file, null],
    ['an escalation', escalation, null],
    ['a component', { ...custom, default: { none: true } }, { none: true }],
    ['an answer by schema', { ...bound, default: { n: 1 } }, { n: 1 }],
  ])('%s', (_name, request, value) => {
    const { ledger } = openRequest(ledgerWith(), { ...request, deadline }, openedAt);
    expect(expireRequests(ledger, openedAt + 10).expired).toMatchObject([
      { answer: { value, timed_out: true } },
    ]);
  });
});

it('what is shown is part of the digest, and requests without more keep theirs', () => {
  const digests = [one, some, several, file, pdf, custom, bound, aRequest({ kind: 'input' })].map(
    ({ digest }) => digest,
  );
  expect(new Set(digests).size).toBe(digests.length);
  expect(aRequest().digest).toBe('b5315c1629c810cac34f4981971b13e1');
});
