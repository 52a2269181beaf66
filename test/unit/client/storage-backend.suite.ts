import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/contract/json.js';
import type { Growth } from '../../../src/client/storage/growth.js';
import {
  emptyMetadata,
  type CheckpointEntry,
  type ProcedureMetadata,
} from '../../../src/client/storage/procedure-metadata.js';
import type { StorageBackend } from '../../../src/client/storage/storage-backend.js';

const full: ProcedureMetadata = {
  procedure_id: 'run-1',
  execution_log: [
    {
      position: 0,
      type: 'agent_writer_turn',
      result: { output: 'grün 😀 \u0000\ud800' },
      timestamp: '2026-01-01T00:00:00.000+00:00',
      duration_ms: 12.5,
      input_hash: null,
      run_id: 'run-1',
      source_location: { file: 'a.tac', line: 3, function: null, code_context: null },
      captured_vars: { n: 1 },
    },
  ],
  replay_index: 1,
  state: JSON.parse('{"n": 9007199254740991, "deep": [[{"": null}]], "__proto__": {"x": 1}}') as JsonObject,
  lua_state: { a: [] },
  status: 'WAITING_FOR_HUMAN',
  waiting_on_message_id: 'run-1/1',
};

const awkwardIds = [
  'plain-1',
  'Upper.Case_2',
  '../x',
  '../../etc/passwd',
  'a/b',
  'a/b/4.0.2',
  'a%2Fb',
  'a\\b',
  '..',
  '.',
  '.hidden',
  'with space',
  'grün-😀-日本',
  'new\nline',
  'nul\u0000byte',
  'CON',
  'nul',
  'trailing.',
  'x.json',
  'traces',
  '~x',
  '__proto__',
  'constructor',
  'y'.repeat(1_000),
  'ü'.repeat(500),
];

/** What every storage backend must do; each backend's own test calls it. */
export function describeStorageBackend(name: string, create: () => StorageBackend): void {
  describe(`${name} keeps records`, () => {
    it('and gives an empty one for a procedure that it does not know, without keeping it', async () => {
      const storage = create();
      expect(await storage.loadProcedureMetadata('new')).toStrictEqual(emptyMetadata('new'));
      expect(await storage.getState('new')).toEqual({});
      expect(await storage.loadCheckpoint('new')).toBeNull();
      expect(await storage.listCheckpoints()).toEqual([]);
    });

    it('and gives back what was saved', async () => {
      const storage = create();
      await storage.saveProcedureMetadata('run-1', full);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(full);
      expect(await storage.loadCheckpoint('run-1')).toEqual(full);
      expect(Object.keys(await storage.getState('run-1'))).toEqual(['n', 'deep', '__proto__']);
    });

    it('by copy', async () => {
      const storage = create();
      const state = { list: [1] };
      await storage.setState('run-1', state);
      state.list.push(2);
      (await storage.getState('run-1')).list = 'changed';
      expect(await storage.getState('run-1')).toEqual({ list: [1] });
    });

    it('and changes status and state without touching the rest', async () => {
      const storage = create();
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
      const storage = create();
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
      const storage = create();
      await storage.saveCheckpoint('run-1', {});
      await storage.deleteCheckpoint('run-1');
      await storage.deleteCheckpoint('run-1');
      expect(await storage.loadCheckpoint('run-1')).toBeNull();
    });

    it('and lists them by status and prefix', async () => {
      const storage = create();
      for (const id of ['b/2', 'b/1', 'a', 'c']) await storage.saveCheckpoint(id, {});
      await storage.updateProcedureStatus('b/2', 'FAILED');
      await storage.updateProcedureStatus('c', 'FAILED');
      expect(await storage.listCheckpoints()).toEqual(['a', 'b/1', 'b/2', 'c']);
      expect(await storage.listCheckpoints({ prefix: 'b/' })).toEqual(['b/1', 'b/2']);
      expect(await storage.listCheckpoints({ status: 'FAILED' })).toEqual(['b/2', 'c']);
      expect(await storage.listCheckpoints({ status: 'FAILED', prefix: 'b' })).toEqual(['b/2']);
      expect(await storage.listCheckpoints({ status: 'RUNNING', prefix: 'zz' })).toEqual([]);
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
      const storage = create();
      await storage.saveCheckpoint('run-1', { status: 'FAILED' });
      await expect((async () => storage.saveCheckpoint('run-1', data))()).rejects.toMatchObject({
        code: 'usage',
      });
      expect((await storage.loadProcedureMetadata('run-1')).status).toBe('FAILED');
    });
  });

  describe(`${name} takes ids as they come`, () => {
    it.each(awkwardIds.map((id) => [id.length > 20 ? `${id.slice(0, 3)}… (${id.length})` : id, id]))(
      '%j',
      async (_name, id) => {
        const storage = create();
        await storage.stateSet(id, 'mine', id);
        expect(await storage.getState(id)).toEqual({ mine: id });
        expect(await storage.listCheckpoints()).toEqual([id]);
        await storage.deleteCheckpoint(id);
        expect(await storage.listCheckpoints()).toEqual([]);
      },
    );

    it('and never takes one for another', async () => {
      const storage = create();
      await Promise.all(awkwardIds.map(async (id) => storage.stateSet(id, 'mine', id)));
      for (const id of awkwardIds) expect(await storage.getState(id)).toEqual({ mine: id });
      expect(await storage.listCheckpoints()).toEqual([...awkwardIds].sort());
    });
  });

  describe(`${name} under many hands`, () => {
    it('loses no change of one procedure', async () => {
      const storage = create();
      const keys = Array.from({ length: 100 }, (_, index) => `k${index}`);
      const changes = keys.map(async (key) => storage.stateSet('run-1', key, key));
      const status = (async () => storage.updateProcedureStatus('run-1', 'FAILED'))();
      await Promise.all([...changes, status]);
      const record = await storage.loadProcedureMetadata('run-1');
      expect(record.state).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
      expect(record.status).toBe('FAILED');
    });

    it('keeps the last of many whole records, and shows none by halves', async () => {
      const storage = create();
      const saves = Array.from({ length: 30 }, async (_, index) => {
        await storage.saveCheckpoint('run-1', { state: { filler: 'x'.repeat(index * 1_000), index } });
        const { state } = await storage.loadProcedureMetadata('run-1');
        expect(state.filler).toHaveLength(Number(state.index) * 1_000);
      });
      await Promise.all(saves);
      expect((await storage.getState('run-1')).index).toBe(29);
    });

    it('goes on after a change that was refused', async () => {
      const storage = create();
      const results = await Promise.allSettled([
        (async () => storage.stateSet('run-1', 'a', 1))(),
        (async () => storage.setState('run-1', null as unknown as JsonObject))(),
        (async () => storage.stateSet('run-1', 'b', 2))(),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await storage.getState('run-1')).toEqual({ a: 1, b: 2 });
    });
  });

  describe(`${name} lets records grow`, () => {
    const entry = (position: number, result: JsonValue = `grün 😀 ${position}`): CheckpointEntry => {
      const [first] = full.execution_log;
      if (first === undefined) throw new Error('the full record has an entry');
      return { ...first, position, result };
    };
    const growth = (from: number, entries: CheckpointEntry[], status = 'RUNNING'): Growth => ({
      ...{ from, entries, status },
      state: { count: from + entries.length },
      waiting_on_message_id: status === 'RUNNING' ? null : 'run-1/9',
    });

    it('by entries at the end, of which it has each once, in the order of their positions', async () => {
      const storage = create();
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
      const storage = create();
      expect(await storage.append?.('run-1', growth(1, [entry(1)]))).toBe(false);
      expect(await storage.loadCheckpoint('run-1')).toBeNull();
      await storage.saveProcedureMetadata('run-1', full);
      expect(await storage.append?.('run-1', growth(2, [entry(2)]))).toBe(false);
      expect(await storage.loadProcedureMetadata('run-1')).toEqual(full);
    });

    it('between changes of other kinds, without losing any', async () => {
      const storage = create();
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
      const storage = create();
      const long = 'x'.repeat(5_000);
      for (let i = 0; i < 60; i++) await storage.append?.('run-1', growth(i, [entry(i, long)]));
      const { execution_log: log } = await storage.loadProcedureMetadata('run-1');
      expect(log.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    });
  });
}
