import { expect } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';

/** Matches a value whose numbers another runtime has computed: their last digits differ. */
export function near(value: JsonValue): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 5);
  if (Array.isArray(value)) return value.map(near);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, near(each)]));
}
