import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../../src/contract/json/json.js';
import { emptyMetadata } from '../../../../../src/client/storage/procedure-metadata.js';
import { entry, full, growth } from './samples.js';
import { newPlace, opener, type TestedBackend } from './tested-backend.js';

/** What is saved is what is given back. */
export function recordChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);

  describe(`${name} keeps records`, () => {
    it('and gives an empty one for a procedure that it does not know, without keeping it', async () => {
      const storage = await open();
      expect(await storage.loadProcedureMetadata('new')).toStrictEqual(emptyMetadata('new'));
      expect(await storage.getState('new')).toEqual({});
      expect(await storage.loadCheckpoint('new')).toBeNull();
      expect(await storage.listCheckpoints()).toEqual([]);
    });

    it('and gives back what was saved', async () => {
      const storage = await open();
      await storage.saveProcedureMetadata('run-1', full);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(full);
      expect(await storage.loadCheckpoint('run-1')).toEqual(full);
      expect(Object.keys(await storage.getState('run-1'))).toEqual(['n', 'deep', '__proto__']);
    });

    it('by copy', async () => {
      const storage = await open();
      const state = { list: [1] };
      await storage.setState('run-1', state);
      state.list.push(2);
      (await storage.getState('run-1')).list = 'changed';
      expect(await storage.getState('run-1')).toEqual({ list: [1] });
    });

    it('and changes status and state without touching the rest', async () => {
      const storage = await open();
      await storage.saveProcedureMetadata('run-1', full);
      await storage.stateSet('run-1', 'n', 2);
      await storage.stateSet('run-1', '__proto__', 3);
      await storage.stateSet('run-1', 'constructor', { a: 1 });
      const record = await storage.loadProcedureMetadata('run-1');
      expect(JSON.parse(JSON.stringify(record.state))).toEqual(
        JSON.parse('{"n": 2, "deep": [[{"": null}]], "__proto__": 3, "constructor": {"a": 1}}'),
      );
      await storage.setState('run-1', { only: true });
      await storage.updateProcedureStatus('run-1', 'RUNNING', 'm-2');
      const changed = { ...full, state: { only: true }, status: 'RUNNING', waiting_on_message_id: 'm-2' };
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(changed);
      await storage.updateProcedureStatus('run-1', 'COMPLETED');
      const { status, waiting_on_message_id } = await storage.loadProcedureMetadata('run-1');
      expect([status, waiting_on_message_id]).toEqual(['COMPLETED', null]);
    });
  });

  describe(`${name} keeps checkpoints`, () => {
    it('in the form of the design document, filled up for those who read the record', async () => {
      const storage = await open();
      const entry = {
        position: 0,
        name: 'w_1',
        type: 'agent_turn',
        result: 1,
        timestamp: '2026-01-01T00:00:00',
      };
      const data = {
        execution_log: [entry],
        state: { a: 1 },
        replay_index: 1,
        status: 'RUNNING',
        note: 'kept',
      };
      await storage.saveCheckpoint('run-1', data);
      await storage.stateSet('run-1', 'b', 2);
      expect(await storage.loadCheckpoint('run-1')).toMatchObject({ ...data, state: { a: 1, b: 2 } });
      const { execution_log } = await storage.loadProcedureMetadata('run-1');
      expect(execution_log[0]).toMatchObject({ run_id: null, source_location: null, captured_vars: null });
    });

    it('and deletes them, twice too', async () => {
      const storage = await open();
      await storage.saveCheckpoint('run-1', {});
      await storage.deleteCheckpoint('run-1');
      await storage.deleteCheckpoint('run-1');
      expect(await storage.loadCheckpoint('run-1')).toBeNull();
    });

    it.each<[string, JsonObject]>([
      ['a log that is no list', { execution_log: {} }],
      ['an entry that is no object', { execution_log: [1] }],
      ['an entry without position', { execution_log: [{ type: 'x', timestamp: 'x' }] }],
      ['a fraction as position', { execution_log: [{ position: 0.5, type: 'x', timestamp: 'x' }] }],
      ['a state that is a list', { state: [] }],
      ['a state that is null', { state: null }],
      ['a status that is a number', { status: 1 }],
      ['the id of another procedure', { procedure_id: 'other' }],
    ])('and refuses %s, keeping what it has', async (_name, data) => {
      const storage = await open();
      await storage.saveCheckpoint('run-1', { status: 'FAILED' });
      await expect((async () => storage.saveCheckpoint('run-1', data))()).rejects.toMatchObject({
        code: 'usage',
      });
      expect((await storage.loadProcedureMetadata('run-1')).status).toBe('FAILED');
    });

    it.each<[string, string]>([
      ['of every kind', 'grün 日本 😀 \u0000 \u0001 \u001f \u007f \u2028 \ufeff \uffff \ud800 "\\'],
      ['of a million characters', 'ß'.repeat(1_000_000)],
      ['that is JSON itself', '{"a": [1, null]}'],
      ['that is empty', ''],
    ])('and text %s, as value, key, status and what is waited on', async (_name, text) => {
      const storage = await open();
      await storage.stateSet('run-1', 'text', text);
      await storage.stateSet('run-1', text.slice(0, 1_000), 1);
      await storage.updateProcedureStatus('run-1', text.slice(0, 100), text);
      const { state, status, waiting_on_message_id } = await storage.loadProcedureMetadata('run-1');
      expect(state.text === text && state[text.slice(0, 1_000)] === 1).toBe(true);
      expect([status, waiting_on_message_id === text]).toEqual([text.slice(0, 100), true]);
      expect(await storage.listCheckpoints({ status: text.slice(0, 100) })).toEqual(['run-1']);
    });

    it.each([0, -1.5, 1e-7, 1e21, Number.MAX_VALUE, 2 ** 53 - 1, -(2 ** 53)])(
      'and the number %d',
      async (number) => {
        const storage = await open();
        await storage.stateSet('run-1', 'n', number);
        expect(await storage.getState('run-1')).toEqual({ n: number });
      },
    );

    it('and a state of 10 MB, which changes and grows as any other', async () => {
      const storage = await open();
      const parts = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, 'x'.repeat(1e6)]));
      await storage.setState('run-1', parts);
      await storage.stateSet('run-1', 'n', 1);
      expect(await storage.append?.('run-1', { ...growth(0, [entry(0)]), state: { ...parts, n: 2 } })).toBe(
        true,
      );
      const { state, execution_log: log } = await storage.loadProcedureMetadata('run-1');
      expect([Object.keys(state).length, state.n, log.length]).toEqual([11, 2, 1]);
      expect(JSON.stringify(state)).toBe(JSON.stringify({ ...parts, n: 2 }));
    });

    it('and an entry of 5 MB', async () => {
      const storage = await open();
      const result = 'y'.repeat(5e6);
      expect(await storage.append?.('run-1', growth(0, [entry(0, result)]))).toBe(true);
      const { execution_log: log } = await storage.loadProcedureMetadata('run-1');
      expect(log[0]?.result === result).toBe(true);
    });

    it('and what is nested deeply', async () => {
      const storage = await open();
      const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as JsonValue;
      await storage.stateSet('run-1', 'deep', deep);
      expect(await storage.getState('run-1')).toEqual({ deep });
    });

    it('for whoever opens it later', async () => {
      const place = newPlace();
      const first = await open(place);
      await first.saveProcedureMetadata('run-1', full);
      await first.append?.('run-1', growth(1, [entry(1)]));
      const later = await open(place);
      const { execution_log: log } = await later.loadProcedureMetadata('run-1');
      expect(log).toEqual([...full.execution_log, entry(1)]);
      expect(await later.listCheckpoints({ status: 'RUNNING' })).toEqual(['run-1']);
    });
  });
}
