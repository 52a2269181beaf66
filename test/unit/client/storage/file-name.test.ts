import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromFileName, toFileName } from '../../../../src/client/storage/file-storage.js';

it.each([
  ['review-1', 'review-1.json'],
  ['Review_1.v2', 'Review_1.v2.json'],
  ['a/b', 'a%2Fb.json'],
  ['../x', '%2E.%2Fx.json'],
  ['..', '%2E..json'],
  ['50%', '50%25.json'],
  ['é', '%C3%A9.json'],
  ['con', '%63on.json'],
  ['Nul.txt', '%4Eul.txt.json'],
  ['console', 'console.json'],
])('%s lies in %s', (id, name) => {
  expect(toFileName(id)).toBe(name);
  expect(fromFileName(name)).toEqual({ procedureId: id });
});

it('a long id is hashed', () => {
  const name = toFileName('x'.repeat(201));
  expect(name).toMatch(/^~[0-9a-f]{64}\.json$/);
  expect(fromFileName(name)).toBe('in the record');
  expect(toFileName('x'.repeat(202))).not.toBe(name);
});

it.each(['', '\ud800', 'a\udc00'])('%j is no id', (id) => {
  expect(() => toFileName(id)).toThrow(expect.objectContaining({ code: 'usage' }) as Error);
});

it.each([
  'x.txt',
  '.json',
  'a b.json',
  'a%2fb.json',
  '%41.json',
  '%FF.json',
  'a/b.json',
  '~x.json',
  'con.json',
])('%s is no file of ours', (name) => {
  expect(fromFileName(name)).toBeNull();
});

it('every id has a safe name that leads back to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (id) => {
      const name = toFileName(id);
      expect(name).toMatch(/^(?:[A-Za-z0-9_-]|%[0-9A-F]{2}|~)[A-Za-z0-9_.%-]*\.json$/);
      expect(name.length).toBeLessThanOrEqual(205);
      const back = fromFileName(name);
      if (back !== 'in the record') expect(back).toEqual({ procedureId: id });
    }),
    { seed: 3, numRuns: 2_000 },
  );
});
