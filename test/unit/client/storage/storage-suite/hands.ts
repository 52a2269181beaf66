import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/contract/json/json.js';
import { entry, growth } from './samples.js';
import { newPlace, opener, type TestedBackend } from './tested-backend.js';

/** Many write at once: nothing is lost, and nothing is seen by halves. */
export function concurrencyChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);

  describe(`${name} under many hands`, () => {
    it('loses no change of one procedure', async () => {
      const storage = await open();
      const keys = Array.from({ length: 100 }, (_, index) => `k${index}`);
      const changes = keys.map(async (key) => storage.stateSet('run-1', key, key));
      const status = (async () => storage.updateProcedureStatus('run-1', 'FAILED'))();
      await Promise.all([...changes, status]);
      const record = await storage.loadProcedureMetadata('run-1');
      expect(record.state).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
      expect(record.status).toBe('FAILED');
    });

    it('keeps the last of many whole records, and shows none by halves', async () => {
      const storage = await open();
      const saves = Array.from({ length: 30 }, async (_, index) => {
        await storage.saveCheckpoint('run-1', { state: { filler: 'x'.repeat(index * 1_000), index } });
        const { state } = await storage.loadProcedureMetadata('run-1');
        expect(state.filler).toHaveLength(Number(state.index) * 1_000);
      });
      await Promise.all(saves);
      expect((await storage.getState('run-1')).index).toBe(29);
    });

    it('goes on after a change that was refused', async () => {
      const storage = await open();
      const results = await Promise.allSettled([
        (async () => storage.stateSet('run-1', 'a', 1))(),
        (async () => storage.setState('run-1', null as unknown as JsonObject))(),
        (async () => storage.stateSet('run-1', 'b', 2))(),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await storage.getState('run-1')).toEqual({ a: 1, b: 2 });
    });

    it('loses no change of one procedure by several that have the storage open', async () => {
      const place = newPlace();
      const storages = await Promise.all([open(place), open(place), open(place)]);
      const keys = Array.from({ length: 60 }, (_, index) => `k${index}`);
      await Promise.all(keys.map(async (key, i) => storages[i % 3]?.stateSet('run-1', key, i)));
      const late = await open(place);
      expect(await late.getState('run-1')).toEqual(Object.fromEntries(keys.map((key, i) => [key, i])));
    });

    it('keeps apart what is told of many procedures at once', async () => {
      const storage = await open();
      const ids = Array.from({ length: 100 }, (_, index) => `run-${index}`);
      await Promise.all(
        ids.map(async (id, index) => {
          await storage.append?.(id, growth(0, [entry(0, id)]));
          await storage.stateSet(id, 'mine', id);
          await storage.append?.(id, { ...growth(1, [entry(1, id)]), state: { mine: id } });
          if (index % 2 === 0) await storage.updateProcedureStatus(id, 'COMPLETED');
        }),
      );
      for (const id of ids) {
        const { state, execution_log: log } = await storage.loadProcedureMetadata(id);
        expect([state, log.map(({ result }) => result)]).toEqual([{ mine: id }, [id, id]]);
      }
      expect(await storage.listCheckpoints({ status: 'COMPLETED' })).toHaveLength(50);
      expect(await storage.listCheckpoints({ status: 'RUNNING' })).toHaveLength(50);
    });

    it('takes of entries that several tell at once each one once', async () => {
      const place = newPlace();
      const storages = await Promise.all([open(place), open(place)]);
      const log = Array.from({ length: 30 }, (_, i) => entry(i));
      await Promise.all(
        storages.map(async (storage) => {
          for (const [i, one] of log.entries()) await storage.append?.('run-1', growth(i, [one]));
        }),
      );
      const { execution_log: found, replay_index: index } = await (
        await open(place)
      ).loadProcedureMetadata('run-1');
      expect(found).toEqual(log);
      expect(index).toBe(30);
    });

    it('shows a log that grows as it was at some moment', async () => {
      const storage = await open();
      const grow = async (): Promise<void> => {
        for (let i = 0; i < 60; i++) await storage.append?.('run-1', growth(i, [entry(i)]));
      };
      const growing = grow();
      let seen = 0;
      while (seen < 60) {
        const {
          state,
          execution_log: log,
          replay_index: index,
        } = await storage.loadProcedureMetadata('run-1');
        expect([state.count ?? 0, index]).toEqual([log.length, log.length]);
        expect(log.length).toBeGreaterThanOrEqual(seen);
        seen = log.length;
      }
      await growing;
    });

    it('changes nothing of a procedure that is deleted and saved by turns, but as a whole', async () => {
      const storage = await open();
      const turns = Array.from({ length: 30 }, (_, i) =>
        i % 3 === 2
          ? (async () => storage.deleteCheckpoint('run-1'))()
          : (async () => storage.saveCheckpoint('run-1', { execution_log: [entry(0), entry(1)] }))(),
      );
      const looks = turns.map(async () => (await storage.loadCheckpoint('run-1'))?.execution_log.length ?? 2);
      expect(new Set(await Promise.all(looks))).toEqual(new Set([2]));
      await Promise.all(turns);
      expect(await storage.loadCheckpoint('run-1')).toBeNull();
      expect(await storage.listCheckpoints()).toEqual([]);
    });
  });
}
