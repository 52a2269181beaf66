import { describe, expect, it } from 'vitest';
import type { CheckpointFilter } from '../../../../../src/client/storage/storage-backend.js';
import { growth } from './samples.js';
import { opener, type TestedBackend } from './tested-backend.js';

/** Ids by status and prefix, page by page. */
export function listChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);

  describe(`${name} lists`, () => {
    it('and lists them by status and prefix', async () => {
      const storage = await open();
      for (const id of ['b/2', 'b/1', 'a', 'c']) await storage.saveCheckpoint(id, {});
      await storage.updateProcedureStatus('b/2', 'FAILED');
      await storage.updateProcedureStatus('c', 'FAILED');
      expect(await storage.listCheckpoints()).toEqual(['a', 'b/1', 'b/2', 'c']);
      expect(await storage.listCheckpoints({ prefix: 'b/' })).toEqual(['b/1', 'b/2']);
      expect(await storage.listCheckpoints({ status: 'FAILED' })).toEqual(['b/2', 'c']);
      expect(await storage.listCheckpoints({ status: 'FAILED', prefix: 'b' })).toEqual(['b/2']);
      expect(await storage.listCheckpoints({ status: 'RUNNING', prefix: 'zz' })).toEqual([]);
    });

    it('page by page, whatever comes and goes in between', async () => {
      const storage = await open();
      const ids = Array.from({ length: 25 }, (_, i) => `run-${String(i).padStart(2, '0')}`);
      await Promise.all([...ids, 'another', 'zebra'].map(async (id) => storage.saveCheckpoint(id, {})));
      expect(await storage.listCheckpoints({ limit: 3 })).toEqual(['another', 'run-00', 'run-01']);
      const found: string[] = [];
      for (let after = ''; ;) {
        const page = await storage.listCheckpoints({ prefix: 'run-', limit: 10, after });
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(10);
        found.push(...page);
        after = page.at(-1) ?? '';
        await storage.deleteCheckpoint(after);
        await storage.saveCheckpoint('run-00-late', {});
      }
      expect(found).toEqual(ids);
      expect(await storage.listCheckpoints({ after: 'run-24', limit: 5 })).toEqual(['zebra']);
      expect(await storage.listCheckpoints({ after: 'zz' })).toEqual([]);
    });

    it('pages of a status', async () => {
      const storage = await open();
      const ids = Array.from({ length: 12 }, (_, i) => `run-${String(i).padStart(2, '0')}`);
      for (const [i, id] of ids.entries())
        await storage.saveCheckpoint(id, { status: i % 2 === 0 ? 'FAILED' : 'RUNNING' });
      const failed = ids.filter((_, i) => i % 2 === 0);
      const page = { status: 'FAILED', prefix: 'run-', limit: 4 };
      expect(await storage.listCheckpoints(page)).toEqual(failed.slice(0, 4));
      expect(await storage.listCheckpoints({ ...page, after: failed[3] ?? '' })).toEqual(failed.slice(4));
    });

    it('in the order of characters, which prefixes keep', async () => {
      const storage = await open();
      const ids = ['a', 'aa', 'ab', 'b', 'z', 'é', '\uffee', '\u{1f600}', '\u{1f600}a', '\u{10ffff}'];
      for (const id of [...ids].reverse()) await storage.saveCheckpoint(id, {});
      expect(await storage.listCheckpoints()).toEqual(ids);
      expect(await storage.listCheckpoints({ prefix: 'a' })).toEqual(['a', 'aa', 'ab']);
      expect(await storage.listCheckpoints({ prefix: '\u{1f600}' })).toEqual(['\u{1f600}', '\u{1f600}a']);
      expect(await storage.listCheckpoints({ prefix: '\u{10ffff}' })).toEqual(['\u{10ffff}']);
      expect(await storage.listCheckpoints({ after: '\uffee', limit: 1 })).toEqual(['\u{1f600}']);
    });

    it('each procedure where it stands now, however it came there', async () => {
      const storage = await open();
      const standing = async (status: string) => storage.listCheckpoints({ status });
      await storage.saveCheckpoint('run-1', { status: 'A' });
      await storage.updateProcedureStatus('run-1', 'B');
      expect([await standing('A'), await standing('B')]).toEqual([[], ['run-1']]);
      await storage.append?.('run-1', growth(0, [], 'C'));
      expect([await standing('B'), await standing('C')]).toEqual([[], ['run-1']]);
      await storage.saveCheckpoint('run-1', { status: 'D' });
      expect([await standing('C'), await standing('D')]).toEqual([[], ['run-1']]);
      await storage.setState('run-1', {});
      await storage.stateSet('run-1', 'a', 1);
      expect(await standing('D')).toEqual(['run-1']);
      await storage.deleteCheckpoint('run-1');
      expect(await standing('D')).toEqual([]);
    });

    it.each<[string, CheckpointFilter]>([
      ['a page of nothing', { limit: 0 }],
      ['a page of half an id', { limit: 1.5 }],
      ['a prefix of half a character', { prefix: '\ud83d' }],
    ])('and refuses %s', async (_name, filter) => {
      const storage = await open();
      await expect((async () => storage.listCheckpoints(filter))()).rejects.toMatchObject({ code: 'usage' });
    });

    it(
      `of many records (${backend.many}), all, by prefix, by status, and by pages`,
      async () => {
        const storage = await open();
        const atOnce = 100;
        const ids = Array.from({ length: backend.many }, (_, i) => `run-${String(i).padStart(6, '0')}`);
        for (let i = 0; i < ids.length; i += atOnce)
          await Promise.all(
            ids
              .slice(i, i + atOnce)
              .map(async (id, n) =>
                storage.saveCheckpoint(id, { status: (i + n) % 10 === 0 ? 'FAILED' : 'COMPLETED' }),
              ),
          );
        const failed = ids.filter((_, i) => i % 10 === 0);
        const [prefix, last] = ['run-0000', ids.at(-1) ?? ''];
        expect((await storage.listCheckpoints()).join()).toBe(ids.join());
        expect(await storage.listCheckpoints({ prefix })).toEqual(ids.slice(0, 100));
        expect((await storage.listCheckpoints({ status: 'FAILED' })).join()).toBe(failed.join());
        expect(await storage.listCheckpoints({ status: 'FAILED', prefix })).toEqual(failed.slice(0, 10));
        expect(await storage.listCheckpoints({ limit: 50, after: ids.at(-52) ?? '' })).toEqual(
          ids.slice(-51, -1),
        );
        expect(await storage.listCheckpoints({ limit: 50, after: last })).toEqual([]);
      },
      60_000 + 30 * backend.many,
    );
  });
}
