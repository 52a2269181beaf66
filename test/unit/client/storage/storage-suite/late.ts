import { describe, expect, it } from 'vitest';
import {
  emptyMetadata,
  type MirrorMark,
  type ProcedureMetadata,
} from '../../../../../src/client/storage/procedure-metadata.js';
import { seededRandom } from '../../../../support/seeded-random.js';
import { entry, growth } from './samples.js';
import { newPlace, opener, type TestedBackend } from './tested-backend.js';

function mark(change: Partial<MirrorMark> = {}): MirrorMark {
  return {
    ...{ namespace: 'n', execution: 'e1', began: 1_000, length: 10, step: 0, over: false },
    ...change,
  };
}

/** What a run has come to when it had so many entries. */
function recordOf(entries: number, mirrored?: MirrorMark, status = 'RUNNING'): ProcedureMetadata {
  return {
    ...emptyMetadata('run-1'),
    execution_log: Array.from({ length: entries }, (_, i) => entry(i)),
    ...{ replay_index: entries, state: { count: entries }, status },
    ...(mirrored === undefined ? {} : { mirrored }),
  };
}

/** What a run has told comes in any order, and more than once; what it told last stays. */
export function lateChecks(backend: TestedBackend): void {
  const { name, damage } = backend;
  const open = opener(backend);

  describe(`${name} keeps what a run told last`, () => {
    it.each<[string, MirrorMark, MirrorMark]>([
      ['in an earlier workflow task', mark(), mark({ length: 9, step: 5 })],
      ['earlier in the task', mark({ step: 2 }), mark({ step: 1 })],
      [
        'before it continued as new',
        mark({ execution: 'e2', began: 2_000, length: 3 }),
        mark({ length: 90 }),
      ],
      [
        'before any task was completed, whenever that was',
        mark({ began: 500, length: 0, over: true }),
        mark({ began: 2_000, length: 3 }),
      ],
      ['of the same task, but not whole', mark(), mark({ step: 1, partial: true })],
      ['in a task that the server never took', mark({ over: true }), mark({ length: 12 })],
      ['by the run whose id was used again', mark({ execution: 'e2', began: 2_000 }), mark({ over: true })],
    ])('where something comes late that was told %s', async (_when, last, before) => {
      const storage = await open();
      expect(await storage.supersede?.('run-1', recordOf(3, last, 'COMPLETED'))).toBe(true);
      expect(await storage.append?.('run-1', { ...growth(1, [entry(1, 'late')]), mirrored: before })).toBe(
        true,
      );
      expect(await storage.supersede?.('run-1', recordOf(1, before))).toBe(false);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(recordOf(3, last, 'COMPLETED'));
      expect(await storage.listCheckpoints({ status: 'COMPLETED' })).toEqual(['run-1']);
    });

    it('where the same comes again, and then goes on', async () => {
      const storage = await open();
      const told = { ...growth(0, [entry(0)]), mirrored: mark() };
      for (let i = 0; i < 2; i++) expect(await storage.append?.('run-1', told)).toBe(true);
      const next = { ...growth(1, [entry(1)]), mirrored: mark({ length: 14 }) };
      expect(await storage.append?.('run-1', next)).toBe(true);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(recordOf(2, mark({ length: 14 })));
      await storage.fold?.('run-1');
      expect(await storage.append?.('run-1', told)).toBe(true);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(recordOf(2, mark({ length: 14 })));
    });

    it('whoever else has it open, and after it was opened again', async () => {
      const place = newPlace();
      const [one, other] = [await open(place), await open(place)];
      await one.append?.('run-1', { ...growth(0, [entry(0)]), mirrored: mark() });
      await other.append?.('run-1', { ...growth(1, [entry(1)]), mirrored: mark({ step: 4 }) });
      await one.append?.('run-1', { ...growth(1, [entry(1, 'late')]), mirrored: mark({ step: 3 }) });
      const again = await open(place);
      expect(await again.supersede?.('run-1', recordOf(0, mark({ step: 3 })))).toBe(false);
      expect(await again.loadProcedureMetadata('run-1')).toEqual(recordOf(2, mark({ step: 4 })));
    });

    it('of many writes at once, in any order', async () => {
      const place = newPlace();
      const storages = await Promise.all([open(place), open(place), open(place)]);
      const random = seededRandom(7);
      const count = 60;
      const order = Array.from({ length: count }, (_, i) => i + 1).sort(() => random() - 0.5);
      await Promise.all(
        [...order, ...order].map(async (length, i) => {
          const storage = storages[i % storages.length];
          const mirrored = mark({ length });
          const isThere = await storage?.append?.('run-1', {
            ...growth(length - 1, [entry(length - 1)]),
            mirrored,
          });
          if (isThere === false) await storage?.supersede?.('run-1', recordOf(length, mirrored));
        }),
      );
      expect(await storages[0]?.loadProcedureMetadata('run-1')).toEqual(
        recordOf(count, mark({ length: count })),
      );
    });

    it('and not what nobody says when it was told', async () => {
      const storage = await open();
      await storage.saveCheckpoint('run-1', { ...recordOf(1), mine: 'kept' });
      expect(await storage.append?.('run-1', { ...growth(1, [entry(1)]), mirrored: mark() })).toBe(true);
      const marked = { ...recordOf(2, mark()), mine: 'kept' };
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(marked);
      await storage.updateProcedureStatus('run-1', 'PAUSED');
      expect(await storage.loadProcedureMetadata('run-1')).toEqual({ ...marked, status: 'PAUSED' });
      expect(await storage.supersede?.('run-1', recordOf(1))).toBe(true);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(recordOf(1));
    });

    it('of a run that was reset, in the order in which it comes', async () => {
      const storage = await open();
      await storage.supersede?.('run-1', recordOf(3, mark({ over: true }), 'COMPLETED'));
      const reset = mark({ execution: 'e2', length: 5 });
      expect(await storage.supersede?.('run-1', recordOf(1, reset))).toBe(true);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(recordOf(1, reset));
    });

    it('in place of a record that had no order', async () => {
      const storage = await open();
      await storage.saveCheckpoint('run-1', { execution_log: [entry(3), entry(0)], mirrored: mark() });
      const late = { ...growth(2, [entry(1)]), mirrored: mark({ length: 9 }) };
      expect(await storage.append?.('run-1', late)).toBe(true);
      expect((await storage.loadProcedureMetadata('run-1')).execution_log).toHaveLength(2);
      expect(await storage.append?.('run-1', { ...late, mirrored: mark({ length: 11 }) })).toBe(true);
      expect(await storage.loadProcedureMetadata('run-1')).toMatchObject({
        ...{ replay_index: 3, mirrored: mark({ length: 11 }) },
      });
    });

    if (damage !== undefined)
      it('in place of a damaged one', async () => {
        for (const what of ['state', 1] as const) {
          const place = newPlace();
          await (await open(place)).supersede?.('run-1', recordOf(3, mark()));
          await damage(place, 'run-1', what);
          const storage = await open(place);
          expect(await storage.supersede?.('run-1', recordOf(2, mark({ step: 1 })))).toBe(true);
          expect(await storage.loadProcedureMetadata('run-1')).toEqual(recordOf(2, mark({ step: 1 })));
        }
      });
  });
}
