import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openStorage } from '../../../src/client/storage/open-storage.js';
import type { StorageBackend } from '../../../src/client/storage/storage-backend.js';
import { awsCredentials } from '../../support/aws-credentials.js';
import { cosmosKey } from '../../support/cosmos-key.js';
import { startCosmos } from '../../support/cosmos-server.js';
import { hasDynamoDb, startDynamoDb } from '../../support/dynamodb-server.js';
import { startFirestore } from '../../support/firestore-server.js';
import { hasPostgres, startPostgres } from '../../support/postgres-server.js';
import { procedureOf } from '../../support/procedure-source.js';
import { hasRedis, startRedis } from '../../support/redis-server.js';
import { hasS3, startS3 } from '../../support/s3-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** A run is the same in whatever it is mirrored to: one worker writes to all of them what it would write to one. */

let server: TestServer;
let worker: TestWorker;
const storages = new Map<string, StorageBackend>();
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const folder = temporaryFolder('mirror-storages');
  storages.set('files', await openStorage(`file:${join(folder, 'files')}`));
  storages.set('SQLite', await openStorage(`sqlite:${join(folder, 'runs.sqlite')}`));
  if (hasPostgres) {
    const postgres = await startPostgres();
    ends.push(() => postgres.stop());
    await postgres.create('mirror');
    storages.set('PostgreSQL', await openStorage(postgres.address('mirror')));
  }
  if (hasRedis) {
    const redis = await startRedis(1);
    ends.push(() => redis.stop());
    storages.set('Redis', await openStorage(redis.address(0)));
  }
  for (const [name, value] of Object.entries({ ...awsCredentials, ...cosmosKey })) vi.stubEnv(name, value);
  if (hasDynamoDb) {
    const dynamoDb = await startDynamoDb();
    ends.push(() => dynamoDb.stop());
    storages.set('DynamoDB', await openStorage(dynamoDb.address('mirror')));
  }
  if (hasS3) {
    const s3 = await startS3();
    ends.push(() => s3.stop());
    storages.set('S3', await openStorage(s3.address('mirror')));
  }
  const cosmos = await startCosmos();
  ends.push(() => cosmos.stop());
  storages.set('Cosmos DB', await openStorage(cosmos.address('mirror')));
  const firestore = await startFirestore();
  ends.push(() => firestore.stop());
  storages.set('Firestore', await openStorage(firestore.address('mirror')));
  server = await startDevServer();
  worker = await startWorker(server, { storage: toAll([...storages.values()]) });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
  for (const storage of storages.values()) await storage.close?.();
  for (const end of ends) await end();
  vi.unstubAllEnvs();
});

/** What the mirror asks of a storage, asked of several: the first answers. */
function toAll(all: readonly StorageBackend[]): StorageBackend {
  const asked = (storage: StorageBackend, name: string | symbol, args: unknown[]): unknown =>
    (Reflect.get(storage, name) as ((...args: unknown[]) => unknown) | undefined)?.apply(storage, args);
  return new Proxy(all[0] as StorageBackend, {
    get:
      (_, name) =>
      async (...args: unknown[]): Promise<unknown> =>
        (await Promise.all(all.map((storage) => asked(storage, name, args))))[0],
  });
}

it('has every field of a run, while it waits and when it has ended, as files have it', async () => {
  const source = procedureOf(`
    local guess = Model { type = "mock", value = { text = "grün 😀 \\0" } }
    for i = 1, 30 do
      state["key " .. i] = guess({ n = i }).output.text
      Step.checkpoint(function() return { i, { deep = { i } } } end)
    end
    pcall(function() error("on purpose") end)
    local ok = Human.approve("Go on?")
    for i = 1, 30 do guess({ m = i }) end
    return ok`);
  const run = await server.tactus.start(source, {}, { limits: { historyEvents: 60 } });
  const records = (): Promise<unknown[]> =>
    Promise.all([...storages.values()].map(async (storage) => storage.loadProcedureMetadata(run.runId)));
  const standing = async (filter: object): Promise<unknown[]> =>
    Promise.all([...storages.values()].map(async (storage) => storage.listCheckpoints(filter)));

  const waiting = { status: 'WAITING_FOR_HUMAN' };
  const listed = [...storages].map(() => [run.runId]);
  await waitUntil(async () => JSON.stringify(await standing(waiting)) === JSON.stringify(listed));
  const [waits, ...others] = await records();
  expect(waits).toMatchObject({
    ...waiting,
    replay_index: 60,
    state: { 'key 30': 'grün 😀 \0' },
    waiting_on_message_id: expect.any(String) as string,
  });
  for (const record of others) expect(record).toStrictEqual(waits);

  const [request] = await run.pending();
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(true);
  const completed = { status: 'COMPLETED', prefix: run.runId.slice(0, 4), limit: 10 };
  await waitUntil(async () => JSON.stringify(await standing(completed)) === JSON.stringify(listed));
  const [ended, ...theirs] = await records();
  expect(ended).toMatchObject({ status: 'COMPLETED', replay_index: 91, waiting_on_message_id: null });
  for (const record of theirs) expect(record).toStrictEqual(ended);
  expect(await standing(waiting)).toEqual([...storages].map(() => []));
});
