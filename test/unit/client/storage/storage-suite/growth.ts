import { describe, expect, it } from 'vitest';
import { emptyMetadata, type Growth } from '../../../../../src/client/storage/procedure-metadata.js';
import { isWhole } from '../../../../support/sampled.js';
import { entry, full, growth } from './samples.js';
import { opener, type TestedBackend } from './tested-backend.js';

/** Entries are added to a record that may be long by then. */
export function growthChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);

  describe(`${name} lets records grow`, () => {
    it('by entries at the end, of which it has each once, in the order of their positions', async () => {
      const storage = await open();
      expect(await storage.append?.('run-1', growth(0, [entry(0)]))).toBe(true);
      expect(await storage.append?.('run-1', growth(1, [entry(1), entry(3)]))).toBe(true);
      expect(await storage.append?.('run-1', growth(3, [entry(2)]))).toBe(true);
      expect(await storage.append?.('run-1', growth(3, [entry(2)], 'WAITING_FOR_HUMAN'))).toBe(true);
      const expected = {
        ...emptyMetadata('run-1'),
        execution_log: [entry(0), entry(1), entry(2), entry(3)],
        ...{ replay_index: 4, state: { count: 4 }, status: 'WAITING_FOR_HUMAN' },
        waiting_on_message_id: 'run-1/9',
      };
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(expected);
      await storage.fold?.('run-1');
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(expected);
    });

    it('and not where entries before are missing', async () => {
      const storage = await open();
      expect(await storage.append?.('run-1', growth(1, [entry(1)]))).toBe(false);
      expect(await storage.loadCheckpoint('run-1')).toBeNull();
      await storage.saveProcedureMetadata('run-1', full);
      expect(await storage.append?.('run-1', growth(2, [entry(2)]))).toBe(false);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(full);
    });

    it('between changes of other kinds, without losing any', async () => {
      const storage = await open();
      await storage.saveProcedureMetadata('run-1', full);
      await storage.append?.('run-1', growth(1, [entry(1)]));
      await storage.stateSet('run-1', 'mine', true);
      const { state, execution_log: log } = await storage.loadProcedureMetadata('run-1');
      expect([state, log.length]).toEqual([{ count: 2, mine: true }, 2]);
      await storage.append?.('run-1', growth(2, [entry(2)]));
      await storage.updateProcedureStatus('run-1', 'FAILED');
      await storage.append?.('run-1', growth(3, [entry(3)]));
      expect((await storage.loadProcedureMetadata('run-1')).execution_log).toHaveLength(4);
      await storage.saveCheckpoint('run-1', {});
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(emptyMetadata('run-1'));
      await storage.append?.('run-1', growth(0, [entry(0)]));
      await storage.deleteCheckpoint('run-1');
      expect(await storage.loadCheckpoint('run-1')).toBeNull();
    });

    it('far beyond what one write takes', async () => {
      const storage = await open();
      const long = 'x'.repeat(5_000);
      for (let i = 0; i < 60; i++) await storage.append?.('run-1', growth(i, [entry(i, long)]));
      const { execution_log: log } = await storage.loadProcedureMetadata('run-1');
      expect(log.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    });

    it('to 20,000 entries, which are there in their order', async () => {
      const storage = await open();
      const [whole, one] = isWhole ? [19_000, 1_000] : [19_500, 500];
      for (let i = 0; i < whole; i += 500)
        await storage.append?.(
          'run-1',
          growth(
            i,
            Array.from({ length: 500 }, (_, n) => entry(i + n)),
          ),
        );
      for (let i = 0; i < one; i++) await storage.append?.('run-1', growth(whole + i, [entry(whole + i)]));
      await storage.fold?.('run-1');
      const { execution_log: log, replay_index: index } = await storage.loadProcedureMetadata('run-1');
      expect([log.length, index]).toEqual([20_000, 20_000]);
      expect(log.every(({ position, result }, i) => position === i && result === i)).toBe(true);
    });

    it('where it holds entries in any order, and some twice', async () => {
      const storage = await open();
      const log = [entry(3, 'c'), entry(0, 'a'), entry(3, 'd')];
      await storage.saveCheckpoint('run-1', { execution_log: log, replay_index: 3 });
      expect((await storage.loadProcedureMetadata('run-1')).execution_log).toEqual(log);
      expect(await storage.append?.('run-1', growth(3, [entry(1)]))).toBe(true);
      const { execution_log: grown, replay_index: index } = await storage.loadProcedureMetadata('run-1');
      expect(grown).toEqual([entry(0, 'a'), entry(1), entry(3, 'd')]);
      expect(index).toBe(3);
    });

    it('by an entry in place of one that is there', async () => {
      const storage = await open();
      await storage.append?.('run-1', growth(0, [entry(0, 'old'), entry(1)]));
      expect(await storage.append?.('run-1', growth(0, [entry(0, 'new')]))).toBe(true);
      const { execution_log: log } = await storage.loadProcedureMetadata('run-1');
      expect(log).toEqual([entry(0, 'new'), entry(1)]);
      expect(await storage.append?.('run-1', growth(3, [entry(3)]))).toBe(false);
      expect(await storage.append?.('run-1', growth(2, [entry(2)]))).toBe(true);
    });

    it('by nothing but how it stands', async () => {
      const storage = await open();
      await storage.append?.('run-1', growth(0, [entry(0)]));
      expect(await storage.append?.('run-1', growth(1, [], 'WAITING_FOR_HUMAN'))).toBe(true);
      expect(await storage.loadProcedureMetadata('run-1')).toMatchObject({
        ...{ status: 'WAITING_FOR_HUMAN', waiting_on_message_id: 'run-1/9', execution_log: [entry(0)] },
      });
      expect(await storage.listCheckpoints({ status: 'RUNNING' })).toEqual([]);
    });

    it.each<[string, object]>([
      ['an entry without type', { entries: [{ ...entry(1), type: undefined }] }],
      ['a state that is a list', { state: [] }],
      ['a negative cursor', { from: -1 }],
    ])('and refuses %s, with nothing done', async (_name, wrong) => {
      const storage = await open();
      await storage.append?.('run-1', growth(0, [entry(0)]));
      const before = await storage.loadProcedureMetadata('run-1');
      const wrongly = { ...growth(1, [entry(1)]), ...wrong } as Growth;
      await expect((async () => storage.append?.('run-1', wrongly))()).rejects.toMatchObject({
        code: 'usage',
      });
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(before);
    });
  });
}
