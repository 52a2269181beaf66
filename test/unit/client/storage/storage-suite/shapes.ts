import { describe, expect, it } from 'vitest';
import { emptyMetadata } from '../../../../../src/client/storage/procedure-metadata.js';
import type { StorageBackend } from '../../../../../src/client/storage/storage-backend.js';
import { entry, growth } from './samples.js';
import { newPlace, opener, type TestedBackend } from './tested-backend.js';

/** Records that others wrote: older ones, which have less, and newer ones, which have more. */
export function shapeChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);
  const bare = { position: 0, type: 'step', timestamp: '2026-01-01T00:00:00' };
  const later = { ...entry(0), cost: { usd: 0.5 }, ['__proto__']: 1 };
  const changes: [string, (storage: StorageBackend) => unknown][] = [
    ['setState', (storage) => storage.setState('run-1', {})],
    ['stateSet', (storage) => storage.stateSet('run-1', 'a', 1)],
    ['updateProcedureStatus', (storage) => storage.updateProcedureStatus('run-1', 'FAILED')],
    ['append', (storage) => storage.append?.('run-1', growth(1, [entry(1)]))],
    [
      'fold',
      async (storage) => {
        await storage.append?.('run-1', growth(1, [entry(1)]));
        await storage.fold?.('run-1');
      },
    ],
  ];

  describe(`${name} keeps records of other versions`, () => {
    it('of which it fills in what they lack', async () => {
      const storage = await open();
      await storage.saveCheckpoint('run-1', { execution_log: [bare] });
      const record = await storage.loadProcedureMetadata('run-1');
      const filled = { ...{ result: null, duration_ms: null, input_hash: null, run_id: null } };
      expect(record).toEqual({
        ...emptyMetadata('run-1'),
        execution_log: [{ ...bare, ...filled, source_location: null, captured_vars: null }],
      });
    });

    it.each(changes)('with what it does not know, over %s', async (_name, change) => {
      const place = newPlace();
      const storage = await open(place);
      const unknown = { version: 7, attributes: { tags: ['a'], ['__proto__']: { x: 1 } } };
      await storage.saveCheckpoint('run-1', { ...unknown, execution_log: [later], lua_state: { n: 1 } });
      await change(storage);
      const record = await (await open(place)).loadProcedureMetadata('run-1');
      expect(record).toMatchObject({ ...unknown, lua_state: { n: 1 } });
      expect(record.execution_log[0]).toEqual(later);
      expect(Object.keys(record.execution_log[0] ?? {})).toContain('__proto__');
    });

    it('until another is saved in place of it', async () => {
      const storage = await open();
      await storage.saveCheckpoint('run-1', { version: 7, lua_state: { n: 1 }, execution_log: [later] });
      await storage.saveCheckpoint('run-1', { status: 'FAILED' });
      expect(await storage.loadCheckpoint('run-1')).toEqual({ ...emptyMetadata('run-1'), status: 'FAILED' });
    });

    it('whose replay index and positions are any numbers from 0', async () => {
      const storage = await open();
      const log = [entry(0), entry(2 ** 53), entry(1e300)];
      await storage.saveCheckpoint('run-1', { execution_log: log, replay_index: 1e300 });
      expect(await storage.loadCheckpoint('run-1')).toMatchObject({
        execution_log: log,
        replay_index: 1e300,
      });
    });
  });
}
