import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CosmosStore } from '../../../../src/client/storage/documents/cosmos-store.js';
import { digestOf } from '../../../../src/client/storage/documents/document-store.js';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import { freePort } from '../../../../src/worker/server/embedded-server/free-port.js';
import { cosmosKey } from '../../../support/cosmos-key.js';
import { startCosmos, type TestCosmos } from '../../../support/cosmos-server.js';
import { isWhole } from '../../../support/sampled.js';
import { damagedHead } from './document-suite/damaged-head.js';
import { describeDocumentStore } from './document-suite/document-store.suite.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { newPlace } from './storage-suite/tested-backend.js';

describe('with a stand-in', () => {
  let server: TestCosmos;

  beforeAll(async () => {
    for (const [name, value] of Object.entries(cosmosKey)) vi.stubEnv(name, value);
    server = await startCosmos();
  });
  afterAll(async () => {
    await server?.stop();
    vi.unstubAllEnvs();
  });

  /** A place is a container. */
  const open = (place: string) => openStorage(server.address(place));
  const head = (place: string, id: string) => server.container(place).item('head', digestOf(id));

  async function item(place: string, id: string): Promise<Record<string, string>> {
    const { resource = {} } = await head(place, id).read<Record<string, string>>();
    return resource;
  }

  describeDocumentStore({
    name: 'Cosmos DB',
    open: (place, endpoint) => CosmosStore.open(server.address(place, endpoint)),
    endpoint: () => server.endpoint,
    isHead: ({ method, headers }) => method === 'PUT' && headers['if-match'] !== undefined,
    count: async (place) => server.count(place),
  });

  describeStorageBackend({
    name: 'Cosmos DB',
    real: 'a stand-in',
    many: isWhole ? 100_000 : 500,
    open,
    damage: async (place, id, what) => {
      const found = await item(place, id);
      await head(place, id).replace({ ...found, content: damagedHead(found['content'] ?? '', what) });
    },
    kept: async (place, id) => JSON.stringify(await item(place, id)),
  });

  it('makes its database and its container, whoever comes first', async () => {
    const place = newPlace();
    const storages = await Promise.all([open(place), open(place), open(place)]);
    await Promise.all(storages.map(async (storage, i) => storage.stateSet(`run-${i}`, 'a', i)));
    expect(await storages[0]?.listCheckpoints()).toEqual(['run-0', 'run-1', 'run-2']);
    const { resource } = await server.container(place).read();
    expect(resource?.partitionKey?.paths).toEqual(['/partition']);
    expect(resource?.indexingPolicy?.includedPaths).toEqual([{ path: '/key/?' }, { path: '/statusKey/?' }]);
    for (const storage of storages) await storage.close?.();
  });

  it('leaves a container of another kind alone', async () => {
    const id = newPlace();
    await server.client.databases.createIfNotExists({ id: server.database });
    await server.client.database(server.database).containers.create({ id, partitionKey: { paths: ['/pk'] } });
    const storage = await open(id);
    await expect((async () => storage.stateSet('run-1', 'a', 1))()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining("not a storage's: its partition key is /pk") as string,
    });
    await storage.close?.();
  });

  it('says so where the key is another one', async () => {
    vi.stubEnv('COSMOS_KEY', 'b3RoZXI=');
    onTestFinished(() => void vi.stubEnv('COSMOS_KEY', cosmosKey.COSMOS_KEY));
    const storage = await open(newPlace());
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('The credentials are not taken') as string,
    });
    await storage.close?.();
  });

  it('says that the server is away, and goes on when it is back', async () => {
    const port = await freePort();
    const storage = await openStorage(`cosmos://account/storage/x?endpoint=http://127.0.0.1:${port}`);
    await expect((async () => storage.stateSet('run-1', 'a', 1))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('Cosmos DB, container "storage/x": Nothing answers there') as string,
    });
    const later = await startCosmos(port);
    await storage.stateSet('run-1', 'a', 2);
    expect(await storage.getState('run-1')).toEqual({ a: 2 });
    await storage.close?.();
    await later.stop();
  });
});

/** What the service says when it can't be asked. */
describe('what Cosmos DB refuses', () => {
  const asked = (answer: (count: number) => { status: number; headers?: Record<string, string> }) =>
    new Promise<{ endpoint: string; count: () => number }>((resolve) => {
      let count = 0;
      const server = createServer((request, response) => {
        request.resume().on('end', () => {
          const { status, headers } = answer(count++);
          response.writeHead(status, { 'content-type': 'application/json', ...headers });
          response.end(JSON.stringify({ code: String(status), message: 'no' }));
        });
      });
      onTestFinished(() => {
        vi.unstubAllEnvs();
        server.close();
      });
      for (const [name, value] of Object.entries(cosmosKey)) vi.stubEnv(name, value);
      server.listen(0, '127.0.0.1', () => {
        const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        resolve({ endpoint, count: () => count });
      });
    });

  it.each([
    ['whoever may not', 403, {}, 'Whoever asks is not allowed to'],
    ['a container that is gone', 404, { 'x-ms-substatus': '1003' }, 'There is no such container'],
  ])('%s, is told as what it is', async (_name, status, headers, told) => {
    // Whoever may not look whether there is a container may use it all the same: the next question is refused as well.
    const { endpoint } = await asked((count) => (count === 0 ? { status: 403 } : { status, headers }));
    const storage = await openStorage(`cosmos://account/a/b?endpoint=${endpoint}`);
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining(`Cosmos DB, container "a/b": ${told}`) as string,
    });
    await storage.close?.();
  });

  it('an answer that no replica has yet, which is not taken for none', async () => {
    const headers = { 'x-ms-substatus': '1002' };
    const { endpoint } = await asked((count) => (count === 0 ? { status: 403 } : { status: 404, headers }));
    const storage = await openStorage(`cosmos://account/a/b?endpoint=${endpoint}`);
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('It failed (404/1002: ') as string,
    });
    await storage.close?.();
  });

  it('an identity of Entra over HTTP, where the account has no key here: its SDK sends none in the clear', async () => {
    const { endpoint } = await asked(() => ({ status: 200 }));
    vi.stubEnv('COSMOS_KEY', '');
    const storage = await openStorage(`cosmos://account/a/b?endpoint=${endpoint}`);
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('Bearer token authentication is not permitted for non-TLS') as string,
    });
    await storage.close?.();
  });

  it('more than it allows at once, it is asked again when it says so', async () => {
    const { endpoint, count } = await asked(() => ({ status: 429, headers: { 'x-ms-retry-after-ms': '1' } }));
    const storage = await openStorage(`cosmos://account/a/b?endpoint=${endpoint}`);
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('It is asked more than it allows') as string,
    });
    expect(count()).toBeGreaterThan(5);
    await storage.close?.();
  });

  it.each([
    ...['cosmos:', 'cosmos://account', 'cosmos://account/database', 'cosmos://account/a/b/c'],
    ...['cosmos://a b/c/d', 'cosmos://account/a/b?key=secret', 'cosmos://account/a/b?region=x'],
    'cosmos://account/a/b?endpoint=http://user:secret@host',
  ])('%s, which is no address, and tells nobody what is in it', async (address) => {
    const refused = openStorage(address);
    await expect(refused).rejects.toMatchObject({ code: 'usage' });
    await expect(refused).rejects.not.toThrow(/secret/);
  });
});
