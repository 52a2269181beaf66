import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { storageKinds } from '../../../src/contract/storage/storage-place.js';
import { protectedPaths } from '../../../src/worker/worker-environment.js';

const pathsOf = (places: { storage?: string; index?: string }): string[] =>
  protectedPaths(
    {
      tools: { toolModules: [] },
      storage: null,
      index: null,
      payloads: null,
      codec: { module: null, encryption: null },
      env: {},
      ...places,
    },
    '/work',
  );

/** Those that are nowhere on this machine. A kind that is in neither list must say where it keeps its records. */
const elsewhere = [
  ...['postgres', 'postgresql', 'redis', 'rediss', 'dynamodb', 's3', 'lambda', 'cosmos', 'firestore'],
];
const onDisk = ['file', 'sqlite'];

it('every kind of storage says whether procedures are to be kept from its files', () => {
  expect([...storageKinds].sort()).toEqual([...elsewhere, ...onDisk].sort());
});

it.each(onDisk)('records in %s: are kept from procedures, as a storage and as an index', (kind) => {
  for (const place of ['records', '/srv/records?mode=ro', 'a/../records'])
    for (const where of ['storage', 'index'])
      expect(pathsOf({ [where]: `${kind}:${place}` })).toEqual([
        resolve('/work', place.replace(/\?.*$/, '')),
      ]);
});

it.each(elsewhere)('records in %s: are no path', (kind) => {
  expect(pathsOf({ storage: `${kind}://host/records`, index: `${kind}://host/records` })).toEqual([]);
});
