import { describe, expect, it } from 'vitest';
import {
  patternProblem,
  schemaMismatch,
  schemaProblem,
} from '../../../../src/contract/people/answer-schema.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';

describe('a schema that answers are checked by', () => {
  it.each<[JsonValue]>([
    [{ type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] }],
    [{ type: ['string', 'null'], pattern: '^[A-Z]{2}-\\d{4}$', format: 'date' }],
    [{ enum: ['a', 1, null], title: 'what it is', examples: [{ $ref: 'not followed' }] }],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' }, uniqueItems: true }] }],
    [[]],
    [true],
    [{ type: 'object', properties: [] }],
  ])('may be %j', (schema) => expect(schemaProblem(schema)).toBeNull());

  it.each<[JsonValue, string]>([
    ['string', 'is no schema'],
    [{ type: 'text' }, 'has the type "text", which is none'],
    [{ type: 5 }, 'has the type 5'],
    [{ properties: { a: { type: 'text' } } }, 'at properties/a has the type "text"'],
    [{ items: 5 }, 'at items is no schema'],
    [{ anyOf: [{ type: 'text' }] }, 'at anyOf/0 has the type'],
    [{ $ref: '#' }, "has $ref, which isn't followed here"],
    [{ properties: { a: { $ref: '#/definitions/a' } } }, 'at properties/a has $ref'],
    [{ pattern: '(a+)+$' }, 'has a pattern that repeats a group'],
    [{ patternProperties: { '(': {} } }, 'has a pattern that'],
    [{ required: 'n' }, 'has required that is no list of names'],
    [{ minLength: 'two' }, 'has a minLength that is no whole number'],
    [{ enum: 'a' }, 'has an enum that is no list'],
    [{ description: 'x'.repeat(40_000) }, 'is larger than 32 KiB'],
  ])('can not be %j', (schema, problem) => expect(schemaProblem(schema)).toContain(problem));
});

describe('an answer', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
    required: ['name'],
    additionalProperties: false,
  };

  it.each<[JsonValue, JsonValue]>([
    [person, { name: 'Ada', age: 36 }],
    [{ required: ['toString'] }, { toString: 1 }],
    [{ pattern: '^a' }, 'abc'],
    [true, 5],
    [[], 'anything'],
  ])('fits %j: %j', (schema, value) => expect(schemaMismatch(schema, value)).toBeNull());

  it.each<[JsonValue, JsonValue, string]>([
    [person, {}, 'name'],
    [person, { name: 'Ada', age: -1 }, 'age: '],
    [person, { name: 'Ada', shoe: 40 }, 'shoe'],
    [person, 'Ada', 'object'],
    [{ required: ['toString'] }, {}, 'toString'],
    [{ pattern: '^a' }, 'bc', ''],
    [{ pattern: '^a' }, 'a'.repeat(2_000), 'more text than patterns are tried on'],
    [{ type: 'array', uniqueItems: true }, Array.from({ length: 3_000 }, (_, i) => i), 'more parts than'],
    [false, 1, ''],
  ])("doesn't fit %j: %j", (schema, value, problem) =>
    expect(schemaMismatch(schema, value)).toEqual(expect.stringContaining(problem)),
  );

  it('is checked in no time, however much there is of it', () => {
    const startedAt = performance.now();
    const wide = { allOf: Array.from({ length: 500 }, () => ({ items: { type: 'number' } })) };
    expect(
      schemaMismatch(
        wide,
        Array.from({ length: 100_000 }, () => 1),
      ),
    ).toContain('more parts');
    schemaMismatch(
      { items: { type: 'number' } },
      Array.from({ length: 100_000 }, () => 1),
    );
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('a pattern', () => {
  it.each([
    '^[A-Z]{2}-\\d{4}$',
    '^[\\w.+-]+@[\\w-]+\\.[a-z]+$',
    '^(red|green|blue|black|white)$',
    '^(?:\\+\\d+)?\\d+$',
    '\\(\\d+\\)+',
    'plain',
  ])('%s is safe', (pattern) => expect(patternProblem(pattern)).toBeNull());

  it.each([
    '(a+)+$',
    '(a|a)*b',
    '^(a?){20}$',
    'a?a?a?a?aaaa',
    '^(a|a)(a|a)(a|a)(a|a)b$',
    '.*.*.*=',
    'x{2000}',
    '(',
    'x'.repeat(2_000),
  ])('%s is not', (pattern) => expect(patternProblem(pattern)).not.toBeNull());

  it('that is safe ends in no time on the longest text that it is tried on', () => {
    const startedAt = performance.now();
    for (const pattern of ['^\\w+\\w+\\w+-$', '\\w+\\w+-', '^a?\\w*\\w*-$'])
      if (patternProblem(pattern) === null) new RegExp(pattern, 'u').test('a'.repeat(200));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
