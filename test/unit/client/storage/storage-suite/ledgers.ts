import { describe, expect, it } from 'vitest';
import { keepLedger, readLedger, removeLedger } from '../../../../../src/client/storage/ledger.js';
import type { LedgerRow } from '../../../../../src/contract/graphs/ledger.js';
import { newPlace, opener, type TestedBackend } from './tested-backend.js';

function row(n: number, topic = n % 2 === 0 ? 'even' : 'odd'): LedgerRow {
  const step = { step: n, checkpoint_id: `run-1/${n}` };
  return { id: `0.${n}/0@5`, topic, key: `k${n}`, data: { n, 'grün 😀 \0': null }, ...step };
}
const rows = (from: number, to: number): LedgerRow[] =>
  Array.from({ length: to - from }, (_, i) => row(from + i));

/** The ledger of a run is kept beside its record. */
export function ledgerChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);
  const told = { isWhole: false };

  describe(`${name} keeps a ledger`, () => {
    it('with each event of a ledger once, numbered in the order in which they came', async () => {
      const place = newPlace();
      const storage = await open(place);
      expect(await readLedger(storage, 'run-1')).toEqual([]);
      await keepLedger(storage, 'run-1', rows(0, 3), told);
      await keepLedger(storage, 'run-1', rows(2, 5), told);
      await keepLedger(storage, 'run-1', [], told);
      await keepLedger(storage, 'run-2', rows(7, 8), told);
      const late = await open(place);
      await keepLedger(late, 'run-1', rows(0, 6), { isWhole: true });
      await keepLedger(storage, 'run-1', rows(4, 7), told);
      const expected = rows(0, 7).map((each, i) => ({ ...each, number: i + 1 }));
      for (const each of [storage, late]) expect(await readLedger(each, 'run-1')).toEqual(expected);
      expect(await readLedger(late, 'run-2')).toEqual([{ ...row(7), number: 1 }]);
    });

    it('of which those of a ledger are found by topic and number', async () => {
      const storage = await open();
      const topics = ['a\0b', '~a', 'x'.repeat(4_000), '', 'ü'.repeat(140), "a'b"];
      const odd = topics.map((topic, i) => row(i, topic));
      await keepLedger(storage, 'run-1', [...odd, ...rows(10, 20)], told);
      for (const [i, topic] of topics.entries())
        expect((await readLedger(storage, 'run-1', { topic })).map(({ step }) => step)).toEqual([i]);
      const numbers = async (filter: object): Promise<number[]> =>
        (await readLedger(storage, 'run-1', filter)).map(({ number }) => number);
      expect(await numbers({ topic: 'even' })).toEqual([7, 9, 11, 13, 15]);
      expect(await numbers({ topic: 'even', after: 9 })).toEqual([11, 13, 15]);
      expect(await numbers({ after: 13, limit: 2 })).toEqual([14, 15]);
      expect(await numbers({ after: 16 })).toEqual([]);
      for (const filter of [{ after: -1 }, { after: 0.5 }, { limit: 0 }])
        await expect(readLedger(storage, 'run-1', filter)).rejects.toMatchObject({ code: 'usage' });
    });

    it('and loses none of a ledger by several that write at once, nor has any twice', async () => {
      const place = newPlace();
      const storages = await Promise.all([open(place), open(place), open(place)]);
      await Promise.all(
        storages.flatMap((storage, i) =>
          Array.from({ length: 6 }, (_, j) => keepLedger(storage, 'run-1', rows(j * 3, j * 3 + 4 + i), told)),
        ),
      );
      const events = await readLedger(await open(place), 'run-1');
      expect(events.map(({ number }) => number)).toEqual(events.map((_, i) => i + 1));
      expect(events.map(({ step }) => step).sort((a, b) => a - b)).toEqual(
        rows(0, 21).map(({ step }) => step),
      );
    });

    it('and forgets all of a ledger with the record, in more than one write', async () => {
      const storage = await open();
      await keepLedger(storage, 'run-1', rows(0, 1_200), told);
      expect((await readLedger(storage, 'run-1', { after: 1_000 })).map(({ step }) => step)).toEqual(
        rows(1_000, 1_200).map(({ step }) => step),
      );
      await removeLedger(storage, 'run-1');
      await storage.deleteCheckpoint('run-1');
      expect(await readLedger(storage, 'run-1')).toEqual([]);
    });
  });
}
