import { describe, expect, it, onTestFinished } from 'vitest';
import { DocumentStorage } from '../../../../../src/client/storage/documents/document-storage.js';
import type { DocumentStore, Head } from '../../../../../src/client/storage/documents/document-store.js';
import { startForgetful, type IsMeant } from '../../../../support/forgetful-proxy.js';
import { entry, growth } from '../storage-suite/samples.js';
import { newPlace } from '../storage-suite/tested-backend.js';

/** A store of documents, as these checks need it. */
export interface TestedStore<H extends Head> {
  name: string;
  open: (place: string, endpoint?: string) => Promise<DocumentStore<H>>;
  endpoint: () => string;
  /** Whether a request writes a head, in place of another one of the same status. */
  isHead: IsMeant;
  /** Forgets an answer; left out: of HTTP. */
  forgetful?: typeof startForgetful;
  /** How many documents there are in a place, of whatever kind. */
  count: (place: string) => Promise<number>;
}

/** What a storage does of which the suite for all storages sees nothing: that it writes several documents, one after the other. */
export function describeDocumentStore<H extends Head>(tested: TestedStore<H>): void {
  const { name, open, endpoint, isHead, count, forgetful = startForgetful } = tested;
  const long = 'x'.repeat(50_000);
  const log = (from: number, to: number, result = long) =>
    Array.from({ length: to - from }, (_, i) => entry(from + i, result));

  async function at(place = newPlace()): Promise<{ store: DocumentStore<H>; storage: DocumentStorage<H> }> {
    const store = await open(place);
    onTestFinished(() => store.close());
    return { store, storage: new DocumentStorage(store) };
  }

  /** A storage whose store does a thing otherwise. */
  function otherwise(store: DocumentStore<H>, change: Partial<DocumentStore<H>>): DocumentStorage<H> {
    const get = (_: DocumentStore<H>, key: string | symbol): unknown => {
      const own: unknown = Reflect.get(change, key) ?? Reflect.get(store, key);
      return typeof own === 'function' ? own.bind(store) : own;
    };
    return new DocumentStorage(new Proxy(store, { get }));
  }

  const dead = { writeHead: () => Promise.reject(new Error('the process is gone')) };

  describe(`${name} writes documents`, () => {
    it('and has the old record, whole, where whoever changes it dies before the end', async () => {
      const { store, storage } = await at();
      await storage.saveCheckpoint('run-1', { state: { long }, execution_log: log(0, 3) });
      const before = await storage.loadCheckpoint('run-1');
      const names = await store.partNames('run-1', '');
      const changes: ((dying: DocumentStorage<H>) => Promise<unknown>)[] = [
        (dying) => dying.saveCheckpoint('run-1', { state: { long: long + long } }),
        (dying) => dying.append('run-1', growth(3, log(3, 5))),
        (dying) => dying.stateSet('run-1', 'n', 1),
      ];
      for (const change of changes)
        await expect(change(otherwise(store, dead))).rejects.toThrow('the process is gone');
      expect((await store.partNames('run-1', '')).length).toBeGreaterThan(names.length + 2);
      expect(await storage.loadCheckpoint('run-1')).toEqual(before);
      await storage.stateSet('run-1', 'n', 1);
      // One part is the state's, and as many as ever the log's.
      expect(await store.partNames('run-1', '')).toHaveLength(names.length);
      expect(await storage.loadCheckpoint('run-1')).toMatchObject({
        state: { n: 1 },
        execution_log: log(0, 3),
      });
    });

    it('and removes what it was the only one to refer to', async () => {
      const place = newPlace();
      const { store, storage } = await at(place);
      await storage.saveCheckpoint('other', {});
      const nothing = await count(place);
      for (let i = 0; i < 3; i++) await storage.append('run-1', growth(i, log(i, i + 1)));
      await storage.setState('run-1', { long });
      await storage.setState('run-1', { long: long + long });
      expect(await store.partNames('run-1', '')).toHaveLength(4);
      await storage.setState('run-1', {});
      expect(await store.partNames('run-1', '')).toHaveLength(3);
      await storage.saveCheckpoint('run-1', { status: 'FAILED', execution_log: log(0, 1) });
      expect(await store.partNames('run-1', '')).toHaveLength(1);
      await storage.deleteCheckpoint('run-1');
      expect(await count(place)).toBe(nothing);
    });

    it('and takes a head that is told again for the one that it was', async () => {
      const { store } = await at();
      await store.prepare?.();
      const [first, second] = ['"A"', '"B"'].map((status, i) => ({
        version: `v${i}`,
        status,
        text: `{"n":${i}}`,
      }));
      const told = async (before: H | null, head = first): Promise<string> =>
        store.writeHead('run-1', head ?? { version: '', status: '', text: '' }, before);
      expect([await told(null), await told(null)]).toEqual(['done', 'done']);
      const before = await store.readHead('run-1');
      expect([await told(before, second), await told(before, second)]).toEqual(['done', 'done']);
      expect(await told(before)).toBe('overtaken');
      // Some can't tell what was there in between.
      expect(['overtaken', 'unknown']).toContain(await told(null));
      expect(await store.list({ status: '"B"' })).toEqual(['run-1']);
      expect(await store.list({ status: '"A"' })).toEqual([]);
      expect(await store.removeHead('run-1', before as H)).toBe(false);
      expect(await store.list({})).toEqual(['run-1']);
    });

    it('and keeps what another one has built on, where the answer got lost and it is told again', async () => {
      const place = newPlace();
      const { store: direct, storage: other } = await at(place);
      await other.append('run-1', growth(0, log(0, 1)));
      const proxy = await forgetful(endpoint());
      onTestFinished(() => proxy.stop());
      const store = await open(place, proxy.endpoint);
      onTestFinished(() => store.close());
      proxy.forgetNext(isHead, () => other.append('run-1', growth(2, log(2, 3))));
      expect(await new DocumentStorage(store).append('run-1', growth(1, log(1, 2)))).toBe(true);
      expect(proxy.forgotten()).toBe(1);
      expect((await other.loadProcedureMetadata('run-1')).execution_log).toEqual(log(0, 3));
      expect(await direct.list({})).toEqual(['run-1']);
    });

    it('as many and as large ones for an entry, however long the log is', async () => {
      const { store, storage } = await at();
      const asked = async (from: number): Promise<string[]> => {
        const calls: string[] = [];
        const writeHead: DocumentStore<H>['writeHead'] = (id, head, before) => {
          calls.push(`a head of ${Math.round(head.text.length / 100)}`);
          return store.writeHead(id, head, before);
        };
        const seeing = otherwise(store, {
          writeHead,
          readParts: () => Promise.reject(new Error('reads all')),
        });
        await seeing.append('run-1', growth(from, log(from, from + 1, 'short')));
        return calls;
      };
      await storage.saveCheckpoint('run-1', { execution_log: log(0, 2) });
      const early = await asked(2);
      await storage.append('run-1', growth(3, log(3, 1_003, 'short')));
      expect(await asked(1_003)).toEqual(early);
    });

    it('and a large state once, for as long as it stays what it is', async () => {
      const { store, storage } = await at();
      await storage.append('run-1', { ...growth(0, [entry(0)]), state: { long } });
      const names = await store.partNames('run-1', '');
      await storage.append('run-1', { ...growth(1, [entry(1)]), state: { long } });
      expect(await store.partNames('run-1', '')).toEqual(names);
      await storage.append('run-1', { ...growth(2, [entry(2)]), state: { long: `${long}!` } });
      expect(await store.partNames('run-1', '')).not.toEqual(names);
      expect(await storage.loadCheckpoint('run-1')).toMatchObject({
        state: { long: `${long}!` },
        replay_index: 3,
      });
      const [name = ''] = await store.partNames('run-1', '');
      await store.writePart('run-1', name, Buffer.from(JSON.stringify({ long })));
      const told = { message: expect.stringContaining('is not what was written') as string };
      await expect(storage.getState('run-1')).rejects.toMatchObject(told);
      await expect(storage.loadCheckpoint('run-1')).rejects.toMatchObject(told);
    });

    it('of a log with thousands of gaps one text, and never loses an entry of it', async () => {
      const { storage } = await at();
      const gaps = Array.from({ length: 1_500 }, (_, i) => entry(2 * i));
      await storage.saveCheckpoint('run-1', { execution_log: gaps.slice(0, 900) });
      expect(await storage.append('run-1', growth(900, gaps.slice(900)))).toBe(true);
      expect(await storage.append('run-1', growth(1_500, [entry(1), entry(5_000)]))).toBe(true);
      const { execution_log: found } = await storage.loadProcedureMetadata('run-1');
      expect(found.map(({ position }) => position)).toEqual([
        ...[0, 1],
        ...gaps.slice(1).map(({ position }) => position),
        5_000,
      ]);
    });

    it('and tells of a part that is gone, and of a head that is none', async () => {
      const { store, storage } = await at();
      await storage.saveCheckpoint('run-1', { state: { long }, execution_log: log(0, 3) });
      await storage.saveCheckpoint('run-2', { state: { long } });
      await store.removeParts('run-1', await store.partNames('run-1', ''));
      const gone = {
        code: 'file_failed',
        message: expect.stringMatching(/"run-1".*a part of it is gone/) as string,
      };
      for (const attempt of [
        () => storage.loadCheckpoint('run-1'),
        () => storage.getState('run-1'),
        () => storage.stateSet('run-1', 'a', 1),
      ])
        await expect(attempt()).rejects.toMatchObject(gone);
      const head = await store.readHead('run-2');
      await store.writeHead('run-2', { version: 'other', status: '"RUNNING"', text: '{"columns":' }, head);
      const damaged = { code: 'file_failed', message: expect.stringContaining('is damaged') as string };
      await expect(storage.getState('run-2')).rejects.toMatchObject(damaged);
      await expect(storage.updateProcedureStatus('run-2', 'FAILED')).rejects.toMatchObject(damaged);
      expect(await storage.listCheckpoints({ status: 'RUNNING' })).toEqual(['run-1', 'run-2']);
      for (const id of ['run-1', 'run-2']) await storage.saveCheckpoint(id, { state: { whole: true } });
      expect(await storage.getState('run-2')).toEqual({ whole: true });
      expect(await store.partNames('run-2', '')).toEqual([]);
    });

    it('and refuses what a newer version has written, and leaves it alone', async () => {
      const place = newPlace();
      const { store, storage } = await at(place);
      await storage.saveCheckpoint('run-1', {});
      await store.writePart('', 'schema', Buffer.from('99'));
      const { storage: older } = await at(place);
      const newer = { code: 'usage', message: expect.stringContaining('newer version') as string };
      await expect(older.loadCheckpoint('run-1')).rejects.toMatchObject(newer);
      await expect(older.stateSet('run-1', 'a', 1)).rejects.toMatchObject(newer);
      await expect(older.listCheckpoints()).rejects.toMatchObject(newer);
      expect(await storage.getState('run-1')).toEqual({});
    });

    it('and refuses ids of more than 1,024 bytes', async () => {
      const { storage } = await at();
      const refused = { code: 'usage', message: expect.stringContaining('1024 bytes') as string };
      await expect(storage.saveCheckpoint('ü'.repeat(513), {})).rejects.toMatchObject(refused);
      await storage.saveCheckpoint('ü'.repeat(512), {});
      expect(await storage.listCheckpoints()).toEqual(['ü'.repeat(512)]);
      const [longer, other] = ['ü'.repeat(5_000), `${'ü'.repeat(511)}é`];
      await storage.saveCheckpoint(other, {});
      await storage.saveCheckpoint('ý', {});
      expect(await storage.listCheckpoints({ prefix: longer })).toEqual([]);
      expect(await storage.listCheckpoints({ after: longer })).toEqual(['ý']);
      expect(await storage.listCheckpoints({ after: `${other}${longer}` })).toEqual(['ü'.repeat(512), 'ý']);
      expect(await storage.listCheckpoints({ after: longer, prefix: longer.slice(0, 600) })).toEqual([]);
    });

    it('and lists long ids that differ in their ends alone, in order, by pages', async () => {
      const { storage } = await at();
      const ids = Array.from(
        { length: 30 },
        (_, i) => `${'y'.repeat(590 + i)}${'abc'[i % 3]}${'é'.repeat(i)}`,
      );
      await Promise.all(ids.map((id, i) => storage.saveCheckpoint(id, { status: i % 2 === 0 ? 'A' : 'B' })));
      const sorted = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(await storage.listCheckpoints()).toEqual(sorted);
      for (const status of [undefined, 'A']) {
        const expected = sorted.filter((id) => status === undefined || ids.indexOf(id) % 2 === 0);
        const found: string[] = [];
        for (let page = ['']; page.length > 0; found.push(...page))
          page = await storage.listCheckpoints({
            ...{ limit: 4, after: found.at(-1) ?? '', prefix: 'y'.repeat(500) },
            ...(status === undefined ? {} : { status }),
          });
        expect(found).toEqual(expected);
      }
      const prefix = 'y'.repeat(605);
      expect(await storage.listCheckpoints({ prefix })).toEqual(sorted.filter((id) => id.startsWith(prefix)));
    });
  });
}
