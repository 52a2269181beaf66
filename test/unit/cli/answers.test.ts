import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerValue, givenAnswer, type Answerable } from '../../../src/cli/people/answer-value.js';
import { paramValue } from '../../../src/cli/runs/read-input.js';
import { plainText } from '../../../src/contract/text/plain-text.js';
import { readDuration } from '../../../src/cli/command.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const approval = { kind: 'approval', id: 'r/0' } as const;
const input = { kind: 'input', id: 'r/1' } as const;
const review = { kind: 'review', id: 'r/2' } as const;
const choices = [
  { value: 'eu', label: 'Europe' },
  { value: 4, label: 'Four' },
];
const form = { type: 'select', multiple: false, min: 1, max: null, choices } as const;
const one: Answerable = { kind: 'select', id: 'r/3', options: ['eu', 4], form: { ...form, choices } };
const some: Answerable = { ...one, form: { ...form, choices, multiple: true } };
const several: Answerable = { kind: 'multiple', id: 'r/4' };
const component: Answerable = { kind: 'input', id: 'r/5', form: { type: 'any' } };
const bound: Answerable = { kind: 'input', id: 'r/6', metadata: { response_schema: { type: 'integer' } } };
const escalation: Answerable = { kind: 'escalation', id: 'r/7' };
const upload: Answerable = { kind: 'upload', id: 'r/8' };

describe('what a person types', () => {
  it.each([
    [approval, 'y', true],
    [approval, ' Yes ', true],
    [approval, 'false', false],
    [approval, '{"approved": true}', { approved: true }],
    [input, 'y', 'y'],
    [input, '42', '42'],
    [input, '"42"', '42'],
    [input, '{not json', '{not json'],
    [review, '{"decision": "revise"}', { decision: 'revise' }],
    [one, 'eu', 'eu'],
    [one, 'Europe', 'eu'],
    [one, '4', 4],
    [one, 'asia', 'asia'],
    [some, 'Four, eu', [4, 'eu']],
    [some, '["eu"]', ['eu']],
    [some, '', []],
    [several, '{"a": 1}', { a: 1 }],
    [component, '42', 42],
    [component, 'free text', 'free text'],
    [bound, '42', 42],
    [escalation, 'done', 'done'],
    [null, 'no', false],
    [null, 'maybe', 'maybe'],
  ])('%j: %s', (request, text, value) => expect(answerValue(request, text)).toEqual(value));

  it('is refused for an approval where it is neither yes nor no', () => {
    expect(() => answerValue(approval, 'perhaps')).toThrow('answer y or n, not "perhaps"');
  });

  it.each([
    [approval, 'true', true],
    [approval, '"no"', false],
    [approval, 'y', true],
    [input, '42', 42],
    [input, '9007199254740993', '9007199254740993'],
    [input, 'Ada', 'Ada'],
    [review, '"approve"', 'approve'],
    [one, '"4"', 4],
    [one, '4', 4],
    [some, '["eu", 4]', ['eu', 4]],
    [several, '{"a": true}', { a: true }],
    [escalation, 'null', null],
  ])('or is given beforehand, %j: %s', (request, text, value) =>
    expect(givenAnswer(request, text)).toEqual(value),
  );
});

describe('a file', () => {
  const folder = temporaryFolder('answers');
  const path = join(folder, 'plan.pdf');
  writeFileSync(path, 'plan');
  const file = { name: 'plan.pdf', type: 'application/pdf', path, size: 4 };
  const url = 'https://example.com/a/b.png?x=1';

  it.each<[Answerable, string, unknown]>([
    [upload, path, file],
    [upload, url, { name: 'b.png', type: 'image/png', url }],
    [upload, JSON.stringify(file), file],
    [
      { ...upload, form: { type: 'upload', accept: [], max_size: null, multiple: true } },
      `${path}, ${url}`,
      [file, { name: 'b.png', type: 'image/png', url }],
    ],
  ])('%j: %s', (request, text, value) => {
    expect(answerValue(request, text)).toEqual(value);
    expect(givenAnswer(request, text)).toEqual(value);
  });

  it('that is not there is no answer', () => {
    expect(() => answerValue(upload, join(folder, 'none.pdf'))).toThrow('There is no file');
    expect(() => givenAnswer(upload, JSON.stringify(folder))).toThrow('There is no file');
  });

  it('and several questions are no text', () => {
    expect(() => answerValue(several, 'y')).toThrow('r/4 asks several things: answer with JSON');
  });
});

describe('a parameter', () => {
  it.each([
    ['string', '007', '007'],
    ['number', '1e3', 1000],
    ['integer', '-2', -2],
    ['boolean', 'no', false],
    ['array', '[1]', [1]],
    ['object', '{"a": null}', { a: null }],
    ['table', '[]', []],
    ['any', '{"a": 1}', { a: 1 }],
    ['any', 'text', 'text'],
    ['any', 'null', null],
    ['any', '-1e400', '-1e400'],
    ['any', '9007199254740993', '9007199254740993'],
    ['any', '[-12345678901234567890]', ['-12345678901234567890']],
    ['object', '{"id": 9007199254740993}', { id: '9007199254740993' }],
    ['string', '9007199254740993', '9007199254740993'],
    ['integer', '9007199254740991', 9_007_199_254_740_991],
    ['number', '100000000000000000000', 1e20],
    ['number', '1e20', 1e20],
    ['boolean', '1', true],
    ['boolean', 'N', false],
    ['array', 'a, b', ['a', 'b']],
    ['array', '', []],
  ] as const)('of type %s: %s', (type, text, value) => expect(paramValue('p', text, type)).toEqual(value));

  it.each([
    ['number', ''],
    ['number', 'Infinity'],
    ['number', '9007199254740993'],
    ['integer', '-9007199254740993'],
    ['integer', '0x20000000000001'],
    ['boolean', '2'],
    ['array', '[a,b'],
    ['object', '{"n": 1e400}'],
  ] as const)('of type %s is not %j', (type, text) =>
    expect(() => paramValue('p', text, type)).toThrow('--param p takes'),
  );
});

describe('other texts', () => {
  it('reads durations', () => {
    expect(['0', '90', '1.5s', '15m', '2h', '30d'].map((text) => readDuration(text, 'It'))).toEqual([
      0, 90_000, 1_500, 900_000, 7_200_000, 2_592_000_000,
    ]);
    expect(() => readDuration('soon', 'The time')).toThrow('The time must be a duration');
  });

  it('takes from texts of others what a terminal would obey', () => {
    expect(plainText('a\u001b[2Jb\u0007\tc\r\nd\u202e')).toBe('a\ufffd[2Jb\ufffd\tc\nd\ufffd');
  });
});
