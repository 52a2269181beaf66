import { describe, expect, it } from 'vitest';
import {
  attemptsIn,
  intentLetterId,
  isDeadBy,
  readLetterId,
} from '../../../../src/contract/dead-letters/dead-letter.js';

describe('the id of a dead letter', () => {
  it.each([
    ['a/3', { kind: 'call', run: 'a', position: '3' }],
    ['a/3/1.0', { kind: 'call', run: 'a/3', position: '1.0' }],
    ['a b/\n/0.1.2', { kind: 'call', run: 'a b/\n', position: '0.1.2' }],
    ['a/intent/1/0', { kind: 'intent', run: 'a', key: 'a/1/0' }],
    ['a/intent/0.2.1/1/0', { kind: 'intent', run: 'a', key: 'a/0.2.1/1/0' }],
    ['a/3/intent/1/0', { kind: 'intent', run: 'a/3', key: 'a/3/1/0' }],
    ['a', null],
    ['/3', null],
    ['a/3.', null],
    ['a/x', null],
  ])('%j is %j', (id, place) => {
    expect(readLetterId(id)).toEqual(place);
    if (place !== null && 'key' in place) expect(intentLetterId(place.run, place.key)).toBe(id);
  });

  it('is none where the intent is of the run whose log another one goes on with', () => {
    expect(intentLetterId('b', 'a/1/0')).toBe(null);
    expect(intentLetterId('a', 'ab/1/0')).toBe(null);
  });
});

describe('a policy', () => {
  const letter = (code: 'http_failed' | 'tool_failed' | null, attempts: number) => ({
    error: code === null ? null : { code, message: '' },
    attempts,
  });
  it.each([
    [{}, letter('http_failed', 1), true],
    [{}, letter(null, 0), true],
    [{ maxDeliveryCount: 5 }, letter('http_failed', 4), false],
    [{ maxDeliveryCount: 5 }, letter('http_failed', 5), true],
    [{ maxDeliveryCount: 5, includeErrors: ['http_failed'] }, letter('http_failed', 1), true],
    [{ maxDeliveryCount: 5, includeErrors: ['http_failed'] }, letter('tool_failed', 5), true],
    [{ includeErrors: ['http_failed'] }, letter('tool_failed', 5), false],
    [{ includeErrors: ['http_failed'], excludeErrors: ['http_failed'] }, letter('http_failed', 9), false],
    [{ excludeErrors: ['http_failed'] }, letter('tool_failed', 1), true],
    [{ excludeErrors: ['http_failed'] }, letter(null, 0), true],
  ])('%j of %j says %j', (policy, given, isDead) => {
    expect(isDeadBy(policy, given)).toBe(isDead);
  });
});

it('attempts are read from what the failure says', () => {
  expect(attemptsIn('x: answered 500 (attempt 10 of 10)')).toBe(10);
  expect(attemptsIn('x: answered 400')).toBe(1);
});
