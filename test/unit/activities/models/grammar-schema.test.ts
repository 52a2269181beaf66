import { describe, expect, it } from 'vitest';
import { grammarSchema } from '../../../../src/activities/models/providers/local-runtime.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';

describe('grammarSchema', () => {
  const given: [string, JsonObject, JsonObject][] = [
    ['gives texts an end', { type: 'string' }, { type: 'string', minLength: 0, maxLength: 300 }],
    [
      'keeps their own bounds',
      { type: 'string', minLength: 2, maxLength: 9 },
      { type: 'string', minLength: 2, maxLength: 9 },
    ],
    [
      'takes bounds that no grammar bears for the widest',
      { type: 'string', minLength: 1e6, maxLength: 1e9 },
      { type: 'string', minLength: 300, maxLength: 300 },
    ],
    ['leaves choices alone', { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a'] }],
    ['makes a small range a list', { type: 'integer', minimum: 0.5, maximum: 3 }, { enum: [1, 2, 3] }],
    [
      'leaves a wide one',
      { type: 'integer', minimum: 0, maximum: 1e9 },
      { type: 'integer', minimum: 0, maximum: 1e9 },
    ],
    ['opens an object without members', { type: 'object' }, { type: 'object', additionalProperties: true }],
    [
      'says anyOf in its own word',
      { anyOf: [{ type: 'null' }, { type: 'boolean' }] },
      { oneOf: [{ type: 'null' }, { type: 'boolean' }] },
    ],
    [
      'takes types apart',
      { type: ['integer', 'null'], minimum: 1, maximum: 2 },
      { oneOf: [{ enum: [1, 2] }, { type: 'null', minimum: 1, maximum: 2 }] },
    ],
    [
      'unpacks a lone allOf',
      { description: 'd', allOf: [{ type: 'boolean' }] },
      { type: 'boolean', description: 'd' },
    ],
    [
      'goes down everywhere',
      { type: 'object', properties: { type: { type: 'array', items: { type: 'string', maxLength: 5 } } } },
      {
        type: 'object',
        properties: {
          type: {
            type: 'array',
            items: { type: 'string', minLength: 0, maxLength: 5 },
            minItems: 0,
            maxItems: 10,
          },
        },
      },
    ],
  ];
  it.each(given)('%s', (_, schema, expected) => {
    expect(grammarSchema(schema)).toEqual(expected);
  });
});
