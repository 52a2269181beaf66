import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DocumentStorage } from '../../../../src/client/storage/documents/document-storage.js';
import { digestOf } from '../../../../src/client/storage/documents/document-store.js';
import { FirestoreStore } from '../../../../src/client/storage/documents/firestore-store.js';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import { freePort } from '../../../../src/worker/server/embedded-server/free-port.js';
import {
  hasGoogleEmulator,
  startFirestore,
  startGoogleEmulator,
  type TestFirestore,
} from '../../../support/firestore-server.js';
import { startForgetfulGrpc } from '../../../support/forgetful-grpc-proxy.js';
import { isWhole } from '../../../support/sampled.js';
import { waitUntil } from '../../../support/wait-until.js';
import { damagedHead } from './document-suite/damaged-head.js';
import { describeDocumentStore } from './document-suite/document-store.suite.js';
import { describeStorageBackend } from './storage-backend.suite.js';

const google = { real: "Google's emulator", start: startGoogleEmulator };
const standIn = { real: 'a stand-in', start: () => startFirestore() };
/** Where Google's own is here it is asked alone, unless all is looked at. */
const places = hasGoogleEmulator ? [google, ...(isWhole ? [standIn] : [])] : [standIn];

describe.each(places)('with $real', ({ real, start }) => {
  let server: TestFirestore;

  beforeAll(async () => {
    server = await start();
  }, 60_000);
  afterAll(() => server?.stop());

  /** A place is a collection. */
  const open = (place: string) => openStorage(server.address(place));
  const head = (place: string, id: string) => server.client.collection(place).doc(digestOf(id));

  describeDocumentStore({
    name: 'Firestore',
    open: (place, endpoint) => FirestoreStore.open(server.address(place, endpoint)),
    endpoint: () => server.endpoint,
    forgetful: startForgetfulGrpc,
    isHead: ({ url }, body) => url?.endsWith('/Commit') === true && body.includes('statusKey'),
    count: async (place) => {
      const heads = await server.client.collection(place).get();
      const parts = await Promise.all(
        ['run-1', ''].map((id) => head(place, id).collection(`${place}-parts`).get()),
      );
      return parts.reduce((sum, { size }) => sum + size, heads.size);
    },
  });

  describeStorageBackend({
    name: 'Firestore',
    real,
    many: isWhole ? 100_000 : 500,
    open,
    damage: async (place, id, what) => {
      const found = await head(place, id).get();
      await head(place, id).update({ content: damagedHead(String(found.get('content')), what) });
    },
    kept: async (place, id) => JSON.stringify((await head(place, id).get()).data()),
  });
});

it('says that the server is away, and goes on when it is back', async () => {
  const port = await freePort();
  const address = `firestore://tactus-test/x?endpoint=http://127.0.0.1:${port}`;
  const storage = new DocumentStorage(await FirestoreStore.open(address, 1_000));
  await expect((async () => storage.stateSet('run-1', 'a', 1))()).rejects.toMatchObject({
    code: 'file_failed',
    message: expect.stringContaining('Firestore, collection "x": Nothing answers there') as string,
  });
  const later = await startFirestore(port);
  // A connection that was refused is tried again after a while.
  await waitUntil(async () => storage.stateSet('run-1', 'a', 2));
  expect(await storage.getState('run-1')).toEqual({ a: 2 });
  await storage.close?.();
  await later.stop();
}, 60_000);

it.each([
  ...['firestore:', 'firestore://project', 'firestore://project/a/b', 'firestore://project/..'],
  ...['firestore://project/__a__', 'firestore://project/a?key=secret', 'firestore://project/a?region=x'],
  'firestore://project/a?endpoint=http://user:secret@host',
])('%s is no address, and nobody is told what is in it', async (address) => {
  const refused = openStorage(address);
  await expect(refused).rejects.toMatchObject({ code: 'usage' });
  await expect(refused).rejects.not.toThrow(/secret/);
});
