import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import { hasRedis, startRedis, type TestRedis } from '../../../support/redis-server.js';
import { isWhole } from '../../../support/sampled.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { newPlace } from './storage-suite/tested-backend.js';

describe.skipIf(!hasRedis)('with a real server', () => {
  let server: TestRedis;
  const databases = new Map<string, number>();

  beforeAll(async () => {
    server = await startRedis(500);
  });
  afterAll(() => server?.stop());

  /** A place is a database. */
  function addressOf(place: string): string {
    const database = databases.get(place) ?? databases.size;
    databases.set(place, database);
    return server.address(database);
  }
  const open = (place: string) => openStorage(addressOf(place));

  async function ask(place: string, ...command: string[]): Promise<unknown> {
    const client = await createClient({ url: addressOf(place) }).connect();
    return client.sendCommand(command).finally(() => client.close());
  }

  describeStorageBackend({
    name: 'Redis',
    real: 'a Valkey 9.1 server',
    many: isWhole ? 100_000 : 10_000,
    open,
    damage: async (place, id, what) => {
      const state = ['HSET', `{tactus}:procedure:${id}`, 'state', '{"id": run-1'];
      const entry = ['HSET', `{tactus}:log:${id}`, String(what), '{'];
      await ask(place, ...(what === 'state' ? state : entry));
    },
    kept: async (place, id) => JSON.stringify(await ask(place, 'HGETALL', `{tactus}:procedure:${id}`)),
  });

  it('refuses what a newer version has written, and leaves it alone', async () => {
    const place = newPlace();
    const storage = await open(place);
    await storage.saveCheckpoint('run-1', {});
    await storage.close?.();
    await ask(place, 'HSET', '{tactus}:storage', 'schema', '99');
    const older = await open(place);
    for (const attempt of [
      async () => older.loadCheckpoint('run-1'),
      async () => older.stateSet('run-1', 'a', 1),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('newer version') as string,
      });
    await older.close?.();
    expect(await ask(place, 'HGET', '{tactus}:procedure:run-1', 'state')).toBe('{}');
  });

  it('tells of entries that are gone', async () => {
    const place = newPlace();
    const storage = await open(place);
    const log = [0, 1].map((position) => ({ type: 'step', timestamp: 'x', position }));
    await storage.saveCheckpoint('run-1', { execution_log: log });
    await ask(place, 'HDEL', '{tactus}:log:run-1', '1');
    await expect((async () => storage.loadCheckpoint('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('it has 1 entries, where there were 2') as string,
    });
    await storage.close?.();
  });

  it('leaves nothing behind what was deleted', async () => {
    const place = newPlace();
    const storage = await open(place);
    await storage.saveCheckpoint('run-1', { execution_log: [{ type: 'step', timestamp: 'x', position: 0 }] });
    await storage.updateProcedureStatus('run-1', 'FAILED');
    await storage.deleteCheckpoint('run-1');
    expect(await ask(place, 'KEYS', '*')).toHaveLength(2);
    await storage.close?.();
  });

  it('says that the server is away, and goes on when it is back', async () => {
    const storage = await open(newPlace());
    await storage.stateSet('run-1', 'a', 1);
    await server.stop();
    await expect((async () => storage.stateSet('run-1', 'a', 2))()).rejects.toThrow();
    await expect((async () => storage.getState('run-1'))()).rejects.toThrow();
    await server.start();
    expect(await storage.getState('run-1')).toEqual({ a: 1 });
    await storage.close?.();
  });

  it('is not opened by what is no address, whose password nobody is told', async () => {
    const refused = openStorage('redis://user:secret@host:port:7/x');
    await expect(refused).rejects.toMatchObject({ code: 'usage' });
    await expect(refused).rejects.not.toThrow(/secret/);
  });
});
