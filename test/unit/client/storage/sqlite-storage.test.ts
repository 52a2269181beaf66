import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import { isWhole } from '../../../support/sampled.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { newPlace } from './storage-suite/tested-backend.js';

const root = temporaryFolder('sqlite-storage');
const fileOf = (place: string): string => join(root, place, 'storage.sqlite');
const open = (place: string) => openStorage(`sqlite:${fileOf(place)}`);

function ask(place: string, sql: string, ...parameters: (string | number)[]): Record<string, unknown>[] {
  const database = new DatabaseSync(fileOf(place));
  try {
    return database.prepare(sql).all(...parameters);
  } finally {
    database.close();
  }
}

describeStorageBackend({
  name: 'SQLite',
  real: `node:sqlite, SQLite ${process.versions['sqlite']}`,
  many: isWhole ? 100_000 : 10_000,
  open,
  damage: async (place, id, what) => {
    if (what === 'state') ask(place, `UPDATE tactus_procedures SET state = '{"id": run-1' WHERE id = ?`, id);
    else ask(place, `UPDATE tactus_checkpoints SET entry = '{' WHERE id = ? AND position = ?`, id, what);
  },
  kept: async (place, id) => JSON.stringify(ask(place, 'SELECT * FROM tactus_procedures WHERE id = ?', id)),
});

describe('SQLite', () => {
  it('refuses tables of a newer version, and leaves them alone', async () => {
    const place = newPlace();
    const storage = await open(place);
    await storage.saveCheckpoint('run-1', {});
    await storage.close?.();
    ask(place, `UPDATE tactus_storage SET value = '99'`);
    const older = await open(place);
    await expect((async () => older.loadCheckpoint('run-1'))()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('newer version') as string,
    });
    await expect((async () => older.stateSet('run-1', 'a', 1))()).rejects.toMatchObject({ code: 'usage' });
    await older.close?.();
    expect(ask(place, 'SELECT id FROM tactus_procedures')).toEqual([{ id: 'run-1' }]);
  });

  it('tells of entries that are gone', async () => {
    const place = newPlace();
    const storage = await open(place);
    const entry = { type: 'step', timestamp: 'x' };
    await storage.saveCheckpoint('run-1', {
      execution_log: [0, 1].map((position) => ({ ...entry, position })),
    });
    ask(place, 'DELETE FROM tactus_checkpoints WHERE position = 1');
    await expect((async () => storage.loadCheckpoint('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('it has 1 entries, where there were 2') as string,
    });
    await storage.close?.();
  });

  it('lists by status and prefix, and finds the end of a log, without going through all', () => {
    const place = newPlace();
    const plans = [
      `SELECT id FROM tactus_procedures WHERE id > 'a' AND status = 'b' AND id >= 'c' AND id < 'd' ORDER BY id`,
      `SELECT id FROM tactus_procedures WHERE id > 'a' AND id >= 'c' AND id < 'd' ORDER BY id`,
      `SELECT position FROM tactus_checkpoints WHERE id = 'a' AND position >= 1 AND position <= 2`,
    ];
    return open(place).then(async (storage) => {
      await storage.listCheckpoints();
      await storage.close?.();
      for (const plan of plans) {
        const steps = ask(place, `EXPLAIN QUERY PLAN ${plan}`).map(({ detail }) => String(detail));
        expect(steps).toEqual([expect.stringMatching(/^SEARCH .* USING (COVERING )?INDEX/)]);
      }
    });
  });

  it.each(['redis-server', 'https://example.com/x', 'sqlite', 'constructor:x', ''])(
    'is not opened by %j, which names no storage',
    async (place) => {
      await expect(openStorage(place)).rejects.toMatchObject({ code: 'usage' });
    },
  );
});
