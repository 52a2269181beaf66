import { expect, it } from 'vitest';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import type { RunSnapshot } from '../../../src/client/storage/to-procedure-metadata.js';
import type { Checkpoint } from '../../../src/contract/checkpoint.js';
import type { RunStatus } from '../../../src/contract/status.js';
import { MirrorWriter, type RunReader } from '../../../src/worker/mirror/mirror-writer.js';

function checkpoint(position: number): Checkpoint {
  return {
    position: String(position),
    type: 'explicit_checkpoint',
    name: 'checkpoint',
    digest: '',
    outcome: { ok: true, value: position },
    at: 1_000 + position,
    durationMs: 0,
    source: null,
    input: null,
  };
}

function snapshot(status: RunStatus, count: number): RunSnapshot {
  return {
    runId: 'r',
    status,
    state: { n: count },
    log: Array.from({ length: count }, (_, i) => checkpoint(i)),
    waitingOn: null,
  };
}

/** A storage whose first writes fail. */
class FailingStorage extends MemoryStorage {
  constructor(private failures: number) {
    super();
  }

  override saveProcedureMetadata(
    ...args: Parameters<MemoryStorage['saveProcedureMetadata']>
  ): ReturnType<MemoryStorage['saveProcedureMetadata']> {
    if (this.failures-- > 0) throw new Error('the disk is full');
    return super.saveProcedureMetadata(...args);
  }
}

const nothing: RunReader = { read: () => Promise.resolve(null), status: () => Promise.resolve(null) };
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
      checkpoints: [checkpoint(i)],
      waitingOn: null,
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
    checkpoints: [checkpoint(0)],
    waitingOn: 'r/1',
  });
  await writer.flush();
  expect(errors).toEqual(['r: Error: the disk is full', 'r: Error: the disk is full']);
  const written = await storage.loadProcedureMetadata('r');
  expect(written.status).toBe('WAITING_FOR_HUMAN');
  expect(written.waiting_on_message_id).toBe('r/1');
});

it('repairs a gap from the run itself', async () => {
  const storage = new MemoryStorage();
  const reader: RunReader = { ...nothing, read: () => Promise.resolve(snapshot('running', 6)) };
  const writer = new MirrorWriter(storage, reader, { onError: () => undefined, ...fast });
  writer.update({
    runId: 'r',
    status: 'running',
    state: {},
    from: 5,
    checkpoints: [checkpoint(5)],
    waitingOn: null,
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
  writer.update({ runId: 'r', status: 'completed', state: {}, from: 0, checkpoints: [], waitingOn: null });
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
    checkpoints: [checkpoint(0)],
    waitingOn: 'r/1',
  });
  await first.flush();
  const reader: RunReader = {
    status: () => Promise.resolve('terminated'),
    read: () => Promise.resolve(snapshot('terminated', 3)),
  };
  await new MirrorWriter(storage, reader, { onError: () => undefined, ...fast }).reconcile();
  const written = await storage.loadProcedureMetadata('r');
  expect(written.status).toBe('TERMINATED');
  expect(written.execution_log).toHaveLength(3);
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
  });
  await writer.settle();
  expect(await storage.loadProcedureMetadata('r')).toMatchObject({ status: 'COMPLETED', state: { n: 1 } });
});
