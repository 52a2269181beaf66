import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import type { StorageBackend } from '../../../../src/client/storage/storage-backend.js';
import { hasPostgres, startPostgres, type TestPostgres } from '../../../support/postgres-server.js';
import { isWhole } from '../../../support/sampled.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { entry, growth } from './storage-suite/samples.js';
import { newPlace } from './storage-suite/tested-backend.js';

describe.skipIf(!hasPostgres)('with a real PostgreSQL', () => {
  let server: TestPostgres;
  const made = new Map<string, Promise<unknown>>();

  beforeAll(async () => {
    server = await startPostgres();
    await server.create('storage');
  });
  afterAll(() => server?.stop());

  async function ask(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    const client = new pg.Client(server.address('storage'));
    await client.connect();
    const { rows } = await client.query(sql, parameters).finally(() => client.end());
    return rows as unknown[];
  }

  /** A place is a schema: making one takes a moment, making a database does not. */
  async function open(place: string): Promise<StorageBackend> {
    const making = made.get(place) ?? ask(`CREATE SCHEMA ${place}`);
    made.set(place, making);
    await making;
    return openStorage(`${server.address('storage')}?options=-c%20search_path%3D${place}`);
  }

  describeStorageBackend({
    name: 'PostgreSQL',
    real: 'a PostgreSQL 17 server',
    many: isWhole ? 100_000 : 2_000,
    open,
    damage: async (place, id, what) => {
      const state = `UPDATE ${place}.tactus_procedures SET state = '{"id": run-1' WHERE id = $1`;
      const entry = `UPDATE ${place}.tactus_checkpoints SET entry = '{' WHERE id = $1 AND position = $2`;
      await (what === 'state' ? ask(state, [id]) : ask(entry, [id, what]));
    },
    kept: async (place, id) =>
      JSON.stringify(await ask(`SELECT * FROM ${place}.tactus_procedures WHERE id = $1`, [id])),
  });

  it('is made by several at once, and refuses tables of a newer version', async () => {
    const place = newPlace();
    const storages = await Promise.all([open(place), open(place), open(place)]);
    await Promise.all(storages.map(async (storage, i) => storage.stateSet(`run-${i}`, 'a', i)));
    expect(await storages[0]?.listCheckpoints()).toEqual(['run-0', 'run-1', 'run-2']);
    await ask(`UPDATE ${place}.tactus_storage SET value = '99'`);
    const older = await open(place);
    await expect((async () => older.loadCheckpoint('run-1'))()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('newer version') as string,
    });
    for (const storage of [...storages, older]) await storage.close?.();
  });

  it('goes on when its connections were cut, and begins before its database is there', async () => {
    const storage = await openStorage(server.address('later'));
    await expect((async () => storage.stateSet('run-1', 'a', 1))()).rejects.toThrow();
    await server.create('later');
    await storage.stateSet('run-1', 'a', 1);
    await server.disconnect('later');
    // The connection that was cut may be found out by who asks next.
    await (async () => storage.getState('run-1'))().catch(() => undefined);
    expect(await storage.getState('run-1')).toEqual({ a: 1 });
    await storage.close?.();
  });

  it('keeps no event of a ledger without the record that it came with', async () => {
    const place = newPlace();
    const storage = await open(place);
    await storage.append?.('run-1', growth(0, [entry(0)]));
    const events = [{ id: '1/0@5', topic: 't', key: 'k', data: {}, step: 1, checkpoint_id: 'run-1/1' }];
    await ask(`ALTER TABLE ${place}.tactus_procedures ADD CHECK (status <> '"REFUSED"')`);
    const refused = growth(1, [entry(1)], 'REFUSED');
    await expect((async () => storage.append?.('run-1', refused, events))()).rejects.toThrow(/check/);
    expect(await storage.readLedger?.('run-1', {})).toEqual([]);
    await storage.append?.('run-1', growth(1, [entry(1)]), events);
    await storage.append?.('run-1', growth(1, [entry(1)]), events);
    expect(await storage.readLedger?.('run-1', {})).toEqual([{ ...events[0], number: 1 }]);
    await storage.close?.();
  });

  it('keeps nothing of a change that could not be ended', async () => {
    const place = newPlace();
    const storage = await open(place);
    const entry = { position: 0, type: 'step', timestamp: 'x' };
    await storage.saveCheckpoint('run-1', { execution_log: [entry], state: { a: 1 } });
    const before = await storage.loadCheckpoint('run-1');
    await ask(`ALTER TABLE ${place}.tactus_procedures ADD CHECK (status <> '"REFUSED"')`);
    const log = [0, 1].map((position) => ({ ...entry, position }));
    const refused = { execution_log: log, status: 'REFUSED' };
    await expect((async () => storage.saveCheckpoint('run-1', refused))()).rejects.toThrow(/check/);
    expect(await storage.loadCheckpoint('run-1')).toEqual(before);
    await storage.close?.();
  });
});
