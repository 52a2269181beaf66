import { describe, expect, it } from 'vitest';
import { opener, type TestedBackend } from './tested-backend.js';

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

/** Any text of whole characters is an id, and none is taken for another. */
export function idChecks(backend: TestedBackend): void {
  const { name } = backend;
  const open = opener(backend);

  describe(`${name} takes ids as they come`, () => {
    it.each(awkwardIds.map((id) => [id.length > 20 ? `${id.slice(0, 3)}… (${id.length})` : id, id]))(
      '%j',
      async (_name, id) => {
        const storage = await open();
        await storage.stateSet(id, 'mine', id);
        expect(await storage.getState(id)).toEqual({ mine: id });
        expect(await storage.listCheckpoints()).toEqual([id]);
        await storage.deleteCheckpoint(id);
        expect(await storage.listCheckpoints()).toEqual([]);
      },
    );

    it('and never takes one for another', async () => {
      const storage = await open();
      await Promise.all(awkwardIds.map(async (id) => storage.stateSet(id, 'mine', id)));
      for (const id of awkwardIds) expect(await storage.getState(id)).toEqual({ mine: id });
      expect(await storage.listCheckpoints()).toEqual([...awkwardIds].sort());
    });

    it.each<[string, string]>([
      ['nothing', ''],
      ['half a character', 'a\ud83d'],
      ['the other half', '\ude00'],
    ])('and refuses %s', async (_name, id) => {
      const storage = await open();
      const refused = { code: 'usage' };
      await expect((async () => storage.stateSet(id, 'a', 1))()).rejects.toMatchObject(refused);
      await expect((async () => storage.loadCheckpoint(id))()).rejects.toMatchObject(refused);
      await expect((async () => storage.saveCheckpoint(id, {}))()).rejects.toMatchObject(refused);
      await expect((async () => storage.deleteCheckpoint(id))()).rejects.toMatchObject(refused);
      expect(await storage.listCheckpoints()).toEqual([]);
    });

    it('and what looks like a question to a database is an id, a status, a key and a value', async () => {
      const storage = await open();
      const hostile = `'; DROP TABLE tactus_procedures; -- ? $1 % _ * [a] \\`;
      await storage.saveCheckpoint('other', {});
      await storage.stateSet(hostile, hostile, hostile);
      await storage.updateProcedureStatus(hostile, hostile, hostile);
      expect(await storage.loadProcedureMetadata(hostile)).toMatchObject({
        ...{ state: { [hostile]: hostile }, status: hostile, waiting_on_message_id: hostile },
      });
      expect(await storage.listCheckpoints({ status: hostile, prefix: hostile })).toEqual([hostile]);
      expect(await storage.listCheckpoints({ prefix: '%' })).toEqual([]);
      expect(await storage.listCheckpoints({ prefix: 'o_her' })).toEqual([]);
      expect(await storage.listCheckpoints({ status: '*' })).toEqual([]);
      expect(await storage.listCheckpoints()).toEqual([hostile, 'other']);
    });

    it('and tells those apart that differ in letters, composition or width alone', async () => {
      const storage = await open();
      const ids = ['Run', 'run', 'RUN', 'caf\u00e9', 'cafe\u0301', 'a', '\uff41', 'a ', ' a', '\ufeffa'];
      await Promise.all(ids.map(async (id) => storage.stateSet(id, 'mine', id)));
      for (const id of ids) expect(await storage.getState(id)).toEqual({ mine: id });
      expect(await storage.listCheckpoints()).toHaveLength(ids.length);
      expect(await storage.listCheckpoints({ prefix: 'caf' })).toHaveLength(2);
      expect(await storage.listCheckpoints({ prefix: 'caf\u00e9' })).toEqual(['caf\u00e9']);
    });
  });
}
