import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { digestOf, sha256Hex } from '../../../../src/contract/effects/digest.js';
import { requestDigest } from '../../../../src/workflows/people/to-request.js';
import { aRequest } from '../human-request.fixture.js';

it.each(['', 'abc', 'grün 😀', 'x'.repeat(100_000)])('sha256Hex agrees with Node (%#)', (text) => {
  expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
});

it('digestOf depends on content, not on the order of members', () => {
  expect(digestOf({ a: 1, b: [2] })).toBe(digestOf({ b: [2], a: 1 }));
  expect(digestOf({ a: 1 })).toMatch(/^[0-9a-f]{32}$/);
  const different = [null, 'null', 0, '0', '', [], {}, [[]], [null], { a: null }, { '': 1 }, true, 'true'];
  expect(new Set(different.map((value) => digestOf(value))).size).toBe(different.length);
});

it('requestDigest covers what is shown and nothing else', () => {
  const { digest } = aRequest();
  for (const shown of [
    { kind: 'input' as const },
    { message: 'Deploy!' },
    { context: { amount: 5 } },
    { options: ['yes'] },
  ]) {
    expect(aRequest(shown).digest).not.toBe(digest);
  }
  expect(aRequest({ position: '9', approvers: ['alice'], deadline: 'x', default: true }).digest).toBe(digest);
  expect(requestDigest(aRequest())).toBe(digest);
});
