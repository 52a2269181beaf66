import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { FileStorage } from '../../../src/client/storage/file-storage.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import type { StorageBackend } from '../../../src/client/storage/storage-backend.js';
import type { ReadRun } from '../../../src/client/runs/snapshot.js';
import type { MirrorMark } from '../../../src/client/storage/procedure-metadata.js';
import type { RunStatus } from '../../../src/contract/runs/run-view.js';
import { MirrorWriter } from '../../../src/worker/storage/mirror/mirror-writer.js';
import type { RunReader } from '../../../src/worker/storage/mirror/mirror-catch-up.js';
import type { MirrorUpdate } from '../../../src/workflows/storage/mirror.js';
import { aCheckpoint } from '../../support/a-checkpoint.js';
import { aToldRun } from '../../support/told-run.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

function read(status: RunStatus, count: number, runId = 'r', mark: MirrorMark | null = null): ReadRun {
  const log = Array.from({ length: count }, (_, i) => aCheckpoint(i));
  return {
    snapshot: { runId, status, state: { n: count }, log, waitingOn: null, mark },
    ...{ isRough: false, unread: null },
  };
}

/** A storage whose first writes fail. */
class FailingStorage extends MemoryStorage {
  constructor(private failures: number) {
    super();
  }

  override supersede(
    ...args: Parameters<MemoryStorage['supersede']>
  ): ReturnType<MemoryStorage['supersede']> {
    if (this.failures-- > 0) throw new Error('the disk is full');
    return super.supersede(...args);
  }
}

const nothing: RunReader = {
  namespace: () => Promise.resolve('n'),
  read: () => Promise.resolve(null),
  status: () => Promise.resolve(null),
  isUpToDate: () => Promise.resolve(false),
  async *endedUnheard() {
    yield* [];
  },
};
const fast = { gatherMs: 1, retryMs: [1, 1, 1] };

it('writes what it is told, in few writes', async () => {
  const storage = new MemoryStorage();
  const writer = new MirrorWriter(storage, nothing, { onError: () => undefined, ...fast });
  for (let i = 0; i < 20; i++)
    writer.update({
      runId: 'r',
      status: 'running',
      state: { n: i },
      from: i,
      checkpoints: [aCheckpoint(i)],
      waitingOn: null,
      run: aToldRun('r', 1),
    });
  await writer.flush();
  const { execution_log: log, state, status } = await storage.loadProcedureMetadata('r');
  expect(log.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(state).toEqual({ n: 19 });
  expect(status).toBe('RUNNING');
});

it('tries again when the store is down, and tells of it', async () => {
  const storage = new FailingStorage(2);
  const errors: string[] = [];
  const writer = new MirrorWriter(storage, nothing, {
    onError: (runId, error) => errors.push(`${runId}: ${String(error)}`),
    ...fast,
  });
  writer.update({
    runId: 'r',
    status: 'waiting_for_human',
    state: {},
    from: 0,
    checkpoints: [aCheckpoint(0)],
    waitingOn: 'r/1',
    run: aToldRun('r', 1),
  });
  await writer.flush();
  expect(errors).toEqual(['r: Error: the disk is full', 'r: Error: the disk is full']);
  const written = await storage.loadProcedureMetadata('r');
  expect(written.status).toBe('WAITING_FOR_HUMAN');
  expect(written.waiting_on_message_id).toBe('r/1');
});

it('repairs a gap from the run itself', async () => {
  const storage = new MemoryStorage();
  const reader: RunReader = { ...nothing, read: () => Promise.resolve(read('running', 6)) };
  const writer = new MirrorWriter(storage, reader, { onError: () => undefined, ...fast });
  writer.update({
    runId: 'r',
    status: 'running',
    state: {},
    from: 5,
    checkpoints: [aCheckpoint(5)],
    waitingOn: null,
    run: aToldRun('r', 1),
  });
  await writer.flush();
  expect((await storage.loadProcedureMetadata('r')).execution_log).toHaveLength(6);
});

it('says that a run is over only when the server does', async () => {
  const storage = new MemoryStorage();
  const answers: (RunStatus | null)[] = ['running', 'running', 'failed'];
  const asked: number[] = [];
  const reader: RunReader = {
    ...nothing,
    status: () => {
      asked.push(asked.length);
      return Promise.resolve(answers[asked.length - 1] ?? 'failed');
    },
  };
  const writer = new MirrorWriter(storage, reader, { onError: () => undefined, ...fast });
  const ended = { runId: 'r', status: 'completed', state: {}, from: 0, waitingOn: null } as const;
  writer.update({ ...ended, checkpoints: [], run: aToldRun('r', 1) });
  await writer.flush();
  expect(asked).toHaveLength(3);
  expect((await storage.loadProcedureMetadata('r')).status).toBe('FAILED');
});

it('catches up with what happened while no worker was there', async () => {
  const storage = new MemoryStorage();
  const first = new MirrorWriter(storage, nothing, { onError: () => undefined, ...fast });
  first.update({
    runId: 'r',
    status: 'waiting_for_human',
    state: {},
    from: 0,
    checkpoints: [aCheckpoint(0)],
    waitingOn: 'r/1',
    run: aToldRun('r', 1),
  });
  await first.flush();
  const reader: RunReader = {
    ...nothing,
    status: () => Promise.resolve('terminated'),
    read: () => Promise.resolve(read('terminated', 3)),
  };
  await new MirrorWriter(storage, reader, { onError: () => undefined, ...fast }).reconcile();
  const written = await storage.loadProcedureMetadata('r');
  expect(written.status).toBe('TERMINATED');
  expect(written.execution_log).toHaveLength(3);
});

it('looks, when it catches up, at the runs that are open, and at no other', async () => {
  const storage = new MemoryStorage();
  const statuses = ['RUNNING', 'PAUSED', 'WAITING_FOR_HUMAN', 'WAITING_FOR_TIME', 'WAITING_FOR_CHILDREN'];
  for (const status of [...statuses, 'COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT'])
    await storage.saveCheckpoint(status, { status });
  const asked: string[] = [];
  const reader: RunReader = {
    ...nothing,
    read: async (runId) => {
      asked.push(runId);
      return null;
    },
  };
  await new MirrorWriter(storage, reader, { onError: () => undefined, ...fast }).reconcile();
  expect(asked.sort()).toEqual(statuses.sort());
});

it('writes at once what it has when its worker is about to end', async () => {
  const storage = new MemoryStorage();
  const reader: RunReader = { ...nothing, status: () => Promise.resolve('completed') };
  const writer = new MirrorWriter(storage, reader, { onError: () => undefined, gatherMs: 60_000 });
  writer.update({
    runId: 'r',
    status: 'completed',
    state: { n: 1 },
    from: 0,
    checkpoints: [],
    waitingOn: null,
    run: aToldRun('r', 1),
  });
  await writer.settle();
  expect(await storage.loadProcedureMetadata('r')).toMatchObject({ status: 'COMPLETED', state: { n: 1 } });
});

/** What a run tells at its n-th checkpoint. */
function told(n: number, change: Partial<MirrorUpdate> = {}): MirrorUpdate {
  return {
    ...{
      runId: 'r',
      status: 'running',
      state: { n },
      from: n,
      checkpoints: [aCheckpoint(n)],
      waitingOn: null,
      run: aToldRun('r', 1),
    },
    ...change,
  };
}

const silent = { onError: () => undefined, ...fast };

it('writes only what is new of a run', async () => {
  const storage = new MemoryStorage();
  const whole = vi.spyOn(storage, 'supersede');
  const append = vi.spyOn(storage, 'append');
  const writer = new MirrorWriter(storage, nothing, silent);
  for (let n = 0; n < 5; n++) {
    writer.update(told(n));
    await writer.flush();
  }
  expect(whole).toHaveBeenCalledTimes(1);
  expect(append.mock.calls.map(([, { from, entries }]) => [from, entries.length])).toEqual([
    ...[
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ],
  ]);
  expect((await storage.loadProcedureMetadata('r')).execution_log).toHaveLength(5);
});

it('counts what the record has, which is the top level alone', async () => {
  const storage = new MemoryStorage();
  const writer = new MirrorWriter(storage, nothing, silent);
  const inner = { ...aCheckpoint(0), position: '0.0' };
  writer.update(told(0, { checkpoints: [inner, { ...inner, position: '0.1' }, aCheckpoint(0)] }));
  await writer.flush();
  writer.update(told(3, { checkpoints: [{ ...inner, position: '1.0' }, aCheckpoint(1)] }));
  await writer.flush();
  const { execution_log: log, state } = await storage.loadProcedureMetadata('r');
  expect([log.map(({ position }) => position), state]).toEqual([[0, 1], { n: 3 }]);
});

it('does with a storage that can only be written as a whole', async () => {
  const storage = wholeOnly(new MemoryStorage());
  const writer = new MirrorWriter(storage, nothing, silent);
  for (let n = 0; n < 3; n++) {
    writer.update(told(n));
    await writer.flush();
  }
  expect((await storage.loadProcedureMetadata('r')).execution_log).toHaveLength(3);
});

function wholeOnly(storage: MemoryStorage): StorageBackend {
  return {
    loadProcedureMetadata: (id) => storage.loadProcedureMetadata(id),
    saveProcedureMetadata: (id, metadata) => storage.saveProcedureMetadata(id, metadata),
    updateProcedureStatus: (id, status) => storage.updateProcedureStatus(id, status),
    getState: (id) => storage.getState(id),
    setState: (id, state) => storage.setState(id, state),
    stateSet: (id, key, value) => storage.stateSet(id, key, value),
    saveCheckpoint: (id, data) => storage.saveCheckpoint(id, data),
    loadCheckpoint: (id) => storage.loadCheckpoint(id),
    deleteCheckpoint: (id) => storage.deleteCheckpoint(id),
    listCheckpoints: (filter) => storage.listCheckpoints(filter),
  };
}

it('asks the run again where somebody else has written its record', async () => {
  const storage = new MemoryStorage();
  const reader: RunReader = { ...nothing, read: () => Promise.resolve(read('running', 3)) };
  const writer = new MirrorWriter(storage, reader, silent);
  writer.update(told(0));
  writer.update(told(1));
  await writer.flush();
  await storage.deleteCheckpoint('r');
  writer.update(told(2));
  await writer.flush();
  expect((await storage.loadProcedureMetadata('r')).execution_log).toHaveLength(3);
});

it('asks the run again that told more while it was asked, and counts nothing twice', async () => {
  const storage = new MemoryStorage();
  const answers = [6, 9];
  const reader: RunReader = {
    ...nothing,
    read: () => {
      if (answers.length === 2) writer.update(told(6));
      return Promise.resolve(read('running', answers.shift() ?? 9));
    },
  };
  const writer = new MirrorWriter(storage, reader, silent);
  writer.update(told(5));
  await writer.flush();
  expect(answers).toEqual([]);
  // These the run has answered already.
  for (const n of [7, 8, 9]) writer.update(told(n));
  await writer.flush();
  const { execution_log: log } = await storage.loadProcedureMetadata('r');
  expect(log.map(({ position }) => position)).toEqual(Array.from({ length: 10 }, (_, i) => i));
});

it('holds no checkpoint that is written', async () => {
  const writer = new MirrorWriter(new MemoryStorage(), nothing, silent);
  const checkpoints = [0, 1, 2].map(aCheckpoint);
  const held = checkpoints.map((each) => new WeakRef(each));
  writer.update(told(0, { checkpoints }));
  checkpoints.length = 0;
  await writer.flush();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  expect(held.map((each) => each.deref())).toEqual([undefined, undefined, undefined]);
});

it('forgets the run that was silent for longest, and reads it where it comes back', async () => {
  const storage = new MemoryStorage();
  const asked: string[] = [];
  const reader: RunReader = {
    ...nothing,
    read: (runId) => {
      asked.push(runId);
      return Promise.resolve(read('running', 2, runId));
    },
  };
  const writer = new MirrorWriter(storage, reader, { ...silent, mostRuns: 2 });
  for (const runId of ['a', 'b', 'c']) {
    writer.update(told(0, { runId }));
    await writer.flush();
  }
  for (const runId of ['c', 'a']) writer.update(told(1, { runId }));
  await writer.flush();
  expect(asked).toEqual(['a']);
  expect((await storage.loadProcedureMetadata('a')).execution_log).toHaveLength(2);
});

it('makes a record whole for others when its run is silent, has ended, or its worker ends', async () => {
  const storage = new MemoryStorage();
  const fold = vi.spyOn(storage, 'fold');
  const reader: RunReader = { ...nothing, status: () => Promise.resolve('completed') };
  const writer = new MirrorWriter(storage, reader, { ...silent, restMs: 1 });
  const tell = async (change: MirrorUpdate): Promise<void> => {
    writer.update(change);
    await writer.flush();
  };
  await tell(told(0));
  expect(fold).not.toHaveBeenCalled();
  await tell(told(1));
  await vi.waitFor(() => expect(fold).toHaveBeenCalledTimes(1));
  await tell(told(2, { status: 'completed' }));
  expect(fold).toHaveBeenCalledTimes(2);
  const patient = new MirrorWriter(storage, reader, { ...silent, restMs: 60_000 });
  for (const n of [0, 1]) {
    patient.update(told(n, { runId: 's' }));
    await patient.flush();
  }
  expect(fold).toHaveBeenCalledTimes(2);
  await patient.settle();
  expect(fold.mock.calls.at(-1)).toEqual(['s']);
});

it('takes no longer for a checkpoint of a long run than for one of a short run', async () => {
  const storage = new FileStorage(temporaryFolder('mirror-cost'));
  const writer = new MirrorWriter(storage, nothing, { ...silent, restMs: 60_000 });
  const runs = { short: 100, long: 20_000 };
  const times: Record<keyof typeof runs, number[]> = { short: [], long: [] };
  const names = ['short', 'long'] as const;
  for (const runId of names) {
    const checkpoints = Array.from({ length: runs[runId] }, (_, i) => aCheckpoint(i));
    writer.update(told(0, { runId, checkpoints }));
  }
  await writer.flush();
  // In turns, as the machine is not equally busy all the time.
  for (let i = 0; i < 60; i++)
    for (const runId of names) {
      const start = performance.now();
      writer.update(told(runs[runId]++, { runId }));
      await writer.flush();
      times[runId].push(performance.now() - start);
    }
  const median = (runId: keyof typeof runs): number => times[runId].sort((a, b) => a - b)[30] ?? Infinity;
  expect(median('long') / median('short')).toBeLessThanOrEqual(3);
  expect((await storage.loadProcedureMetadata('long')).execution_log).toHaveLength(20_060);
});
