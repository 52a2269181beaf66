import { expect, it } from 'vitest';
import { readRewind } from '../../../../src/contract/changes/run-change.js';

const log = new Uint8Array([1]);
const request = {
  ...{ pass: 0, seen: 3, open: ['1'], key: 'k', events: [{ name: 'paid', value: null }] },
  outcomes: { '0': { ok: true, value: 1 } },
  record: { kind: 'rewind' },
};

it('takes what a client of this package sends', () => {
  expect(readRewind(request, log)).toBe(request);
});

it.each([
  ['no object', null, log],
  ['no log', request, 'text'],
  ['a count that is none', { ...request, seen: '3' }, log],
  ['positions that are none', { ...request, open: [1] }, log],
  ['no key', { ...request, key: undefined }, log],
  ['a key that is too long', { ...request, key: 'k'.repeat(300) }, log],
  ['a source that is none', { ...request, source: {} }, log],
  ['events without names', { ...request, events: [{ value: 1 }] }, log],
  ['outcomes that are none', { ...request, outcomes: { '0': { ok: true } } }, log],
  ['outcomes that are a list', { ...request, outcomes: [1] }, log],
  ['the record of another change', { ...request, record: { kind: 'upgrade' } }, log],
  ['no record', { ...request, record: null }, log],
])('refuses %s', (_, given, packed) => {
  expect(readRewind(given, packed)).toBe('the rewind is none that a client of this package has made');
});
