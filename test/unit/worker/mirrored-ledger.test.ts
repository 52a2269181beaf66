import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { readLedger } from '../../../src/client/storage/ledger.js';
import { EncodedStorage } from '../../../src/client/storage/encoded-storage.js';
import { openStorage } from '../../../src/client/storage/open-storage.js';
import type { MirrorMark } from '../../../src/client/storage/procedure-metadata.js';
import type { StorageBackend } from '../../../src/client/storage/storage-backend.js';
import type { RunSnapshot } from '../../../src/client/runs/snapshot.js';
import { ledgerOf } from '../../../src/contract/graphs/ledger.js';
import type { Checkpoint } from '../../../src/contract/checkpoints/checkpoint.js';
import { saveGrowth } from '../../../src/worker/storage/mirror/mirrored-run.js';
import { aesCodec } from '../../support/aes-codec.js';
import { runFake } from '../../support/fake-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A graph of five super-steps between checkpoints of the top level: a sub-graph has events, too. */
const source = `
  local inner = Graph { name = "inner", nodes = { only = function() return { ledger = { { topic = "t", key = "inner" } } } end } }
  local outer = Graph { name = "outer", channels = { n = Graph.last }, nodes = {
    a = function() return { next = "b", ledger = { { topic = "t", key = "a1" }, { topic = "u", key = "a2", data = { n = 1 } } } } end,
    b = function() inner({}) return { next = "c", ledger = { { topic = "t", key = "b" } } } end,
    c = function() return { ledger = { { topic = "u", key = "c" } } } end,
  } }
  Procedure { function()
    Step.checkpoint(function() return 1 end)
    outer({})
    Step.checkpoint(function() return 2 end)
    outer({})
    return 1
  end }`;
const log: readonly Checkpoint[] = runFake(source).program.log.entries;
const expected = ['a1', 'a2', 'inner', 'b', 'c', 'a1', 'a2', 'inner', 'b', 'c'];

const mark = (length: number): MirrorMark => ({
  ...{ namespace: 'n', execution: 'e', began: 1, length, step: 0, over: false },
});
const snapshot = (from: number, to: number): RunSnapshot => ({
  ...{ runId: 'run', status: 'running', state: { to }, waitingOn: null, mark: mark(to) },
  log: log.slice(from, to),
});
const topLevel = (to: number): number =>
  log.slice(0, to).filter(({ position }) => !position.includes('.')).length;

const writes = ['append', 'appendNext', 'supersede', 'addLedger', 'saveProcedureMetadata', 'saveCheckpoint'];

/** A storage whose worker is killed at so manieth a write, before it is made or after. */
function killedAt(storage: StorageBackend, count: { left: number }, isMade: boolean): StorageBackend {
  return new Proxy(storage, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      if (!writes.includes(String(name))) return call;
      return async (...args: unknown[]) => {
        if (--count.left !== 0) return call(...args);
        if (isMade) await call(...args);
        throw new Error('killed');
      };
    },
  });
}

/** Tells a storage all of the run, a few checkpoints at a time; whoever takes over a killed one tells the whole of what there is. */
async function mirror(storage: StorageBackend, killed: StorageBackend): Promise<number> {
  let deaths = 0;
  let told = 0;
  let current = killed;
  for (const to of [1, 3, 4, 6, 9, 12, 15, log.length].map((each) => Math.min(each, log.length))) {
    try {
      const saved = await saveGrowth(current, {
        snapshot: snapshot(told, to),
        from: told === 0 ? null : topLevel(told),
      });
      expect(saved).toBe(true);
    } catch (error) {
      if ((error as Error).message !== 'killed') throw error;
      deaths++;
      current = storage;
      await saveGrowth(storage, { snapshot: snapshot(0, to), from: null });
    }
    told = to;
  }
  return deaths;
}

const opened: StorageBackend[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close?.();
});

const kinds: Record<string, (folder: string) => Promise<StorageBackend>> = {
  files: (folder) => openStorage(`file:${folder}`),
  SQLite: (folder) => openStorage(`sqlite:${join(folder, 'a.sqlite')}`),
  'files with codecs': async (folder) => new EncodedStorage(await openStorage(`file:${folder}`), codecs),
  'SQLite with codecs': async (folder) =>
    new EncodedStorage(await openStorage(`sqlite:${join(folder, 'a.sqlite')}`), codecs),
};
const codecs = [aesCodec(randomBytes(32))];

describe.each(Object.entries(kinds))('the ledger of a run that is mirrored to %s', (_, openIn) => {
  const open = async (): Promise<StorageBackend> => {
    const storage = await openIn(temporaryFolder('mirrored-ledger'));
    opened.push(storage);
    return storage;
  };

  it('has each event once and in order, whichever write the worker is killed at', async () => {
    let sweeps = 0;
    for (const isMade of [false, true])
      for (let at = 1; ; at++) {
        const storage = await open();
        const deaths = await mirror(storage, killedAt(storage, { left: at }, isMade));
        const events = await readLedger(storage, 'run');
        expect(
          events.map(({ key }) => key),
          `killed at write ${at}`,
        ).toEqual(expected);
        expect(events.map(({ number }) => number)).toEqual(expected.map((__, i) => i + 1));
        expect(events[1]).toMatchObject({ topic: 'u', data: { n: 1 }, step: 1 });
        expect((await storage.loadProcedureMetadata('run')).execution_log).toHaveLength(topLevel(log.length));
        if (deaths === 0) break;
        sweeps++;
      }
    expect(sweeps).toBeGreaterThan(12);
    expect((await readLedger(await open(), 'run')).length).toBe(0);
  });

  it('has never less than the record that it is told with', async () => {
    for (let at = 1; at <= 16; at++) {
      const storage = await open();
      const dying = killedAt(storage, { left: at }, at % 2 === 0);
      let told = 0;
      const steps = [1, 3, 4, 6, 9, 12, 15, log.length].map((each) => Math.min(each, log.length));
      for (const to of steps)
        try {
          await saveGrowth(dying, { snapshot: snapshot(told, to), from: told === 0 ? null : topLevel(told) });
          told = to;
        } catch {
          break;
        }
      const { state } = await storage.loadProcedureMetadata('run');
      const recorded = ledgerOf(log.slice(0, Number(state['to'] ?? 0)));
      expect((await readLedger(storage, 'run')).length).toBeGreaterThanOrEqual(recorded.length);
    }
  });
});

it('in SQLite, no event of a super-step is there without its record', async () => {
  const file = join(temporaryFolder('mirrored-ledger'), 'a.sqlite');
  const storage = await openStorage(`sqlite:${file}`);
  opened.push(storage);
  await saveGrowth(storage, { snapshot: snapshot(0, 1), from: null });
  const database = new DatabaseSync(file);
  const refuse = `CREATE TRIGGER refuse BEFORE UPDATE ON tactus_procedures BEGIN SELECT RAISE(ABORT, 'refused'); END`;
  database.exec(refuse);
  await expect(saveGrowth(storage, { snapshot: snapshot(1, 9), from: 1 })).rejects.toThrow('refused');
  expect(await readLedger(storage, 'run')).toEqual([]);
  database.exec('DROP TRIGGER refuse');
  database.close();
  await saveGrowth(storage, { snapshot: snapshot(1, 9), from: 1 });
  expect(await readLedger(storage, 'run')).not.toEqual([]);
  await storage.deleteCheckpoint('run');
  expect(await readLedger(storage, 'run')).toEqual([]);
});
