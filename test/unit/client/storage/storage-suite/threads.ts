import { describe, expect, it } from 'vitest';
import { checkpointSaver } from '../../../../../src/client/graphs/checkpoint-saver.js';
import type { SavedCheckpoint } from '../../../../../src/client/graphs/saved-checkpoint.js';
import { entry, growth } from './samples.js';
import { newPlace, opener, type TestedBackend } from './tested-backend.js';

/** A checkpoint of a thread, after so many super-steps. */
function checkpoint(step: number, values: Record<string, unknown> = { step }): SavedCheckpoint {
  return {
    values,
    metadata: { step, source: step === 0 ? 'input' : 'loop', writes: { node: { step } } },
    checkpointId: `c-${step}`,
    ...(step === 0 ? {} : { parentCheckpointId: `c-${step - 1}` }),
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, step)),
    nextTasks: [`node-${step}`],
  };
}

/** An executor of others keeps the checkpoints of its threads in a storage of ours. */
export function threadChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);

  describe(`${name} as a checkpointer`, () => {
    it('keeps all checkpoints of a thread, the oldest first, with their parents and their dates', async () => {
      const place = newPlace();
      const saver = checkpointSaver(await open(place));
      const odd = {
        when: new Date(5),
        deep: [{ $date: 'no date', at: new Date(7) }, { $date: 'x' }, { $object: 1 }],
      };
      const all = [checkpoint(0, { ...odd, 'grün 😀 \0': null, list: [] }), checkpoint(1), checkpoint(2)];
      for (const each of all) await saver.putCheckpoint('t-1', each);
      await saver.put('other', checkpoint(9));
      for (const late of [saver, checkpointSaver(await open(place))]) {
        expect(await late.getCheckpointHistory('t-1')).toStrictEqual(all);
        expect(await late.getHistory('t-1')).toStrictEqual(all);
        expect(await late.getCheckpoint('t-1')).toStrictEqual(all[2]);
        expect(await late.get('other')).toStrictEqual(checkpoint(9));
        expect(await late.getCheckpointById('t-1', 'c-0')).toStrictEqual(all[0]);
        expect(await late.getCheckpointById('t-1', 'c-9')).toBeNull();
      }
    });

    it('has nothing of a thread that is not there', async () => {
      const saver = checkpointSaver(await open());
      await saver.start();
      expect(await saver.getCheckpoint('t-1')).toBeNull();
      expect(await saver.getCheckpointById('t-1', 'c-0')).toBeNull();
      expect(await saver.getCheckpointHistory('t-1')).toEqual([]);
      await saver.close();
    });

    it('keeps a checkpoint of a thread once, and as it was first', async () => {
      const place = newPlace();
      const [one, other] = [checkpointSaver(await open(place)), checkpointSaver(await open(place))];
      await one.putCheckpoint('t-1', checkpoint(0));
      await one.putCheckpoint('t-1', checkpoint(1));
      await other.putCheckpoint('t-1', checkpoint(0));
      await one.putCheckpoint('t-1', checkpoint(0));
      await expect(other.putCheckpoint('t-1', checkpoint(1, { step: 'another' }))).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('a checkpoint is never changed') as string,
      });
      expect(await one.getCheckpointHistory('t-1')).toStrictEqual([checkpoint(0), checkpoint(1)]);
      // What is given is a copy.
      const last = await one.getCheckpoint('t-1');
      if (last !== null) last.nextTasks.push('more');
      expect(await one.getCheckpoint('t-1')).toStrictEqual(checkpoint(1));
    });

    it('loses no checkpoint of a thread by many that write at once, and has none twice', async () => {
      const place = newPlace();
      const savers = await Promise.all([0, 1, 2].map(async () => checkpointSaver(await open(place))));
      const steps = Array.from({ length: 30 }, (_, step) => step);
      await Promise.all(
        steps.flatMap((step) =>
          [0, 1].map((i) => (async () => savers[(step + i) % 3]?.putCheckpoint('t-1', checkpoint(step)))()),
        ),
      );
      const history = await checkpointSaver(await open(place)).getCheckpointHistory('t-1');
      expect(history.map(({ metadata }) => metadata.step).sort((a, b) => a - b)).toEqual(steps);
      expect(await savers[0]?.getCheckpoint('t-1')).toStrictEqual(history.at(-1));
    });

    it('adds an entry of a thread behind exactly so many, and not where there are more or less', async () => {
      const storage = await open();
      expect(await storage.appendNext?.('run-1', growth(1, [entry(1)]))).toBe(false);
      expect(await storage.loadCheckpoint('run-1')).toBeNull();
      expect(await storage.appendNext?.('run-1', growth(0, [entry(0)]))).toBe(true);
      expect(await storage.appendNext?.('run-1', growth(0, [entry(0, 'other')]))).toBe(false);
      expect(await storage.appendNext?.('run-1', growth(1, [entry(1)]))).toBe(true);
      expect((await storage.loadProcedureMetadata('run-1')).execution_log).toEqual([entry(0), entry(1)]);
      const oddly = [entry(3), entry(2)];
      await storage.saveCheckpoint('run-2', { execution_log: oddly });
      expect(await storage.appendNext?.('run-2', growth(1, [entry(4)]))).toBe(false);
      expect(await storage.appendNext?.('run-2', growth(2, [entry(4)]))).toBe(true);
    });
  });
}
