import { describe, expect, it } from 'vitest';
import { answerValue, givenAnswer } from '../../../src/cli/answer-value.js';
import { paramValue } from '../../../src/cli/param-value.js';
import { plainText } from '../../../src/cli/plain-text.js';
import { readDuration } from '../../../src/cli/read-duration.js';

const approval = { kind: 'approval', id: 'r/0' } as const;
const input = { kind: 'input', id: 'r/1' } as const;
const review = { kind: 'review', id: 'r/2' } as const;

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
    [input, 'Ada', 'Ada'],
    [review, '"approve"', 'approve'],
  ])('or is given beforehand, %j: %s', (request, text, value) =>
    expect(givenAnswer(request, text)).toEqual(value),
  );
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
  ] as const)('of type %s: %s', (type, text, value) => expect(paramValue('p', text, type)).toEqual(value));

  it.each([
    ['number', ''],
    ['number', 'Infinity'],
    ['boolean', '2'],
    ['array', 'a,b'],
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
