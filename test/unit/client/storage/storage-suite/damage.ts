import { describe, expect, it } from 'vitest';
import type { ProcedureMetadata } from '../../../../../src/client/storage/procedure-metadata.js';
import type { StorageBackend } from '../../../../../src/client/storage/storage-backend.js';
import { entry } from './samples.js';
import { newPlace, opener, type TestedBackend } from './tested-backend.js';

/** What can't be read is told and left as it is. Where nobody can get at what is kept, there is nothing to check. */
export function damageChecks(backend: TestedBackend): void {
  const { name, damage, kept } = backend;
  if (damage === undefined || kept === undefined) return;
  const open = opener(backend);
  const told = { code: 'file_failed', message: expect.stringContaining('is damaged') as string };

  async function damaged(what: 'state' | number): Promise<{ place: string; storage: StorageBackend }> {
    const place = newPlace();
    const storage = await open(place);
    for (const id of ['run-0', 'run-1', 'run-2'])
      await storage.saveCheckpoint(id, { execution_log: [entry(0), entry(1), entry(2)], state: { id } });
    await damage?.(place, 'run-1', what);
    return { place, storage: await open(place) };
  }

  describe(`${name} tells of a damaged record`, () => {
    it.each<['state' | number]>([['state'], [0], [1], [2]])('whose %s can not be read', async (what) => {
      const { storage } = await damaged(what);
      await expect((async () => storage.loadProcedureMetadata('run-1'))()).rejects.toMatchObject(told);
      await expect((async () => storage.loadCheckpoint('run-1'))()).rejects.toMatchObject({
        message: expect.stringContaining('run-1') as string,
      });
    });

    it('and leaves it as it is, whoever reads or changes its state', async () => {
      const { place, storage } = await damaged('state');
      const before = await kept(place, 'run-1');
      for (const attempt of [
        async () => storage.getState('run-1'),
        async () => storage.loadProcedureMetadata('run-1'),
        async () => storage.stateSet('run-1', 'a', 1),
      ])
        await expect(attempt()).rejects.toMatchObject(told);
      expect(await kept(place, 'run-1')).toBe(before);
      expect(before).toContain('run-1');
    });

    it('and has all others, and lists all', async () => {
      const { storage } = await damaged(1);
      for (const id of ['run-0', 'run-2'])
        expect(await storage.loadProcedureMetadata(id)).toMatchObject({ state: { id } });
      expect(await storage.listCheckpoints()).toEqual(['run-0', 'run-1', 'run-2']);
    });

    it('and takes a whole one in place of it, or its deletion', async () => {
      const { storage } = await damaged(1);
      const whole: Partial<ProcedureMetadata> = { execution_log: [entry(0)], replay_index: 1 };
      await storage.saveCheckpoint('run-1', whole);
      expect(await storage.loadCheckpoint('run-1')).toMatchObject(whole);
      const again = await damaged('state');
      await again.storage.deleteCheckpoint('run-1');
      expect(await again.storage.listCheckpoints()).toEqual(['run-0', 'run-2']);
    });
  });
}
