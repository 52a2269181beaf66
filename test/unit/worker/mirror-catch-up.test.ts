import { expect, it, vi } from 'vitest';
import type { ReadRun } from '../../../src/client/runs/snapshot.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import type { MirrorMark } from '../../../src/client/storage/procedure-metadata.js';
import type { RunStatus } from '../../../src/contract/runs/run-view.js';
import type { RunReader } from '../../../src/worker/storage/mirror/mirror-catch-up.js';
import { MirrorWriter, type MirrorOptions } from '../../../src/worker/storage/mirror/mirror-writer.js';
import type { MirrorUpdate } from '../../../src/workflows/storage/mirror.js';
import { aCheckpoint } from '../../support/a-checkpoint.js';
import { aToldRun } from '../../support/told-run.js';

/** What comes late, gets lost or is never told. */

const fast: MirrorOptions = { gatherMs: 1, retryMs: [1], onError: () => undefined };

function mark(change: Partial<MirrorMark> = {}): MirrorMark {
  return { ...{ namespace: 'n', execution: 'e1', began: 1_000, length: 1, step: 0, over: false }, ...change };
}

/** What a run tells that has so many checkpoints, all of them new but those before `from`. */
function told(count: number, change: Partial<MirrorUpdate> = {}): MirrorUpdate {
  const { from = 0 } = change;
  return {
    ...{
      runId: 'r',
      status: 'running',
      state: { n: count },
      from,
      waitingOn: null,
      run: aToldRun('r', count),
    },
    checkpoints: Array.from({ length: count - from }, (_, i) => aCheckpoint(from + i)),
    ...change,
  };
}

/** A run that is asked: it has so many checkpoints. */
function has(count: number, status: RunStatus = 'running', change: Partial<MirrorMark> = {}): ReadRun {
  const log = Array.from({ length: count }, (_, i) => aCheckpoint(i));
  return {
    snapshot: {
      ...{ runId: 'r', status, state: { n: count }, log, waitingOn: null },
      mark: mark({ length: count, ...change }),
    },
    ...{ isRough: false, unread: null },
  };
}

function reader(change: Partial<RunReader> = {}): RunReader {
  return {
    namespace: () => Promise.resolve('n'),
    read: () => Promise.resolve(null),
    status: () => Promise.resolve('running'),
    isUpToDate: () => Promise.resolve(false),
    async *endedUnheard() {
      yield* [];
    },
    ...change,
  };
}

it('leaves a record as it is that another worker has written since', async () => {
  const storage = new MemoryStorage();
  const [slow, quick] = [0, 1].map(() => new MirrorWriter(storage, reader(), fast));
  quick?.update(told(5, { status: 'waiting_for_human' }));
  await quick?.flush();
  for (const update of [told(2), told(3, { from: 2 })]) {
    slow?.update(update);
    await slow?.flush();
  }
  const { status, state, execution_log: log } = await storage.loadProcedureMetadata('r');
  expect([status, state, log.length]).toEqual(['WAITING_FOR_HUMAN', { n: 5 }, 5]);
});

it('takes what the run whose id is used again tells in place of the old one', async () => {
  const storage = new MemoryStorage();
  const old = new MirrorWriter(storage, reader({ status: () => Promise.resolve('completed') }), fast);
  old.update(told(5, { status: 'completed' }));
  await old.flush();
  expect(await storage.loadProcedureMetadata('r')).toMatchObject({ mirrored: { over: true, length: 5 } });
  const again = new MirrorWriter(storage, reader(), fast);
  const version = { execution: 'e2', began: 2_000, length: 1, step: 0 };
  again.update(told(1, { run: aToldRun('r', 1, { version }) }));
  await again.flush();
  old.update(told(5, { status: 'completed' }));
  await old.flush();
  const { status, execution_log: log, mirrored } = await storage.loadProcedureMetadata('r');
  expect([status, log.length, mirrored]).toEqual(['RUNNING', 1, mark({ execution: 'e2', began: 2_000 })]);
});

it('writes no end that the server never says', async () => {
  const storage = new MemoryStorage();
  const writer = new MirrorWriter(storage, reader(), fast);
  writer.update(told(1));
  await writer.flush();
  writer.update(told(2, { from: 1, status: 'completed', run: aToldRun('r', 2) }));
  await writer.flush();
  expect(await storage.loadProcedureMetadata('r')).toMatchObject({ status: 'RUNNING', replay_index: 1 });
});

it('writes all that was missed while the storage was away, and asks no run before', async () => {
  const storage = new MemoryStorage();
  const away = [
    vi.spyOn(storage, 'supersede').mockRejectedValue(new Error('away')),
    vi.spyOn(storage, 'listCheckpoints').mockRejectedValue(new Error('away')),
  ];
  const read = vi.fn(() => Promise.resolve(has(4)));
  const errors: string[] = [];
  const onError = (runId: string, error: unknown) => errors.push(`${runId} ${String(error)}`);
  const writer = new MirrorWriter(storage, reader({ read }), { ...fast, onError, lookMs: 5 });
  writer.update(told(4));
  await writer.flush();
  expect(errors).toEqual(['r Error: away', 'r Error: away']);
  writer.watch();
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(4));
  expect(read).not.toHaveBeenCalled();
  for (const each of away) each.mockRestore();
  await vi.waitFor(async () => expect((await storage.loadProcedureMetadata('r')).replay_index).toBe(4));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(read).toHaveBeenCalledTimes(1);
  writer.unwatch();
});

it('notices that a run was terminated, and asks it once', async () => {
  const storage = new MemoryStorage();
  await storage.saveCheckpoint('r', { status: 'RUNNING', mirrored: mark() });
  const read = vi.fn(() => Promise.resolve(has(2, 'terminated', { over: true })));
  const looks: number[] = [];
  const writer = new MirrorWriter(
    storage,
    reader({
      read,
      async *endedUnheard(since) {
        looks.push(since);
        yield { runs: [{ runId: 'r', execution: 'e1' }], latest: 5e12 };
      },
    }),
    { ...fast, lookMs: 5 },
  );
  writer.watch();
  await vi.waitFor(() => expect(looks.length).toBeGreaterThan(3));
  writer.unwatch();
  expect(await storage.loadProcedureMetadata('r')).toMatchObject({ status: 'TERMINATED', replay_index: 2 });
  expect(read).toHaveBeenCalledTimes(1);
  expect(looks.slice(1, 3)).toEqual([5e12, 5e12]);
});

it('says of a run that could not be asked how it stands, and asks it again', async () => {
  const storage = new MemoryStorage();
  const read = vi.fn<RunReader['read']>().mockRejectedValueOnce(new Error('no worker'));
  read.mockResolvedValue(has(9));
  const writer = new MirrorWriter(storage, reader({ read }), { ...fast, lookMs: 5 });
  writer.update(told(9, { from: 8, status: 'waiting_for_human', waitingOn: 'r/9' }));
  await writer.flush();
  expect(await storage.loadProcedureMetadata('r')).toMatchObject({
    ...{ status: 'WAITING_FOR_HUMAN', waiting_on_message_id: 'r/9', replay_index: 0 },
    mirrored: { length: 9, partial: true },
  });
  writer.watch();
  await vi.waitFor(async () => expect((await storage.loadProcedureMetadata('r')).replay_index).toBe(9));
  writer.unwatch();
  expect((await storage.loadProcedureMetadata('r')).mirrored).toEqual(mark({ length: 9 }));
});

it('asks no run, when it begins, whose record the server says is up to date', async () => {
  const storage = new MemoryStorage();
  for (const [id, mirrored] of [
    ...([
      ['known', mark()],
      ['further', mark({ length: 5 })],
      ['partial', mark({ partial: true })],
    ] as const),
  ])
    await storage.saveCheckpoint(id, { status: 'RUNNING', mirrored });
  await storage.saveCheckpoint('unmarked', { status: 'RUNNING' });
  const asked: string[] = [];
  const read: RunReader['read'] = async (runId) => {
    asked.push(runId);
    return null;
  };
  const isUpToDate: RunReader['isUpToDate'] = async (_runId, { length }) => length === 1;
  await new MirrorWriter(storage, reader({ read, isUpToDate }), fast).reconcile();
  expect(asked.sort()).toEqual(['further', 'partial', 'unmarked']);
});
