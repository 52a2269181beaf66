import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointSaver, type Checkpointer } from '../../../../src/client/graphs/checkpoint-saver.js';
import type { SavedCheckpoint } from '../../../../src/client/graphs/saved-checkpoint.js';
import { EncodedStorage } from '../../../../src/client/storage/encoded-storage.js';
import { MemoryStorage } from '../../../../src/client/storage/memory-storage.js';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import type { StorageBackend } from '../../../../src/client/storage/storage-backend.js';
import { aesCodec } from '../../../support/aes-codec.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const valid: SavedCheckpoint = {
  values: { n: 1 },
  metadata: { step: 0, source: 'input', writes: {} },
  checkpointId: 'c-0',
  createdAt: new Date(0),
  nextTasks: [],
};

const put = (saver: Checkpointer, snapshot: unknown, thread: unknown = 't-1'): Promise<void> =>
  saver.putCheckpoint(thread as string, snapshot as SavedCheckpoint);

class Money {
  constructor(readonly amount: number) {}
}
const circle: Record<string, unknown> = {};
circle['self'] = circle;

describe('a checkpointer refuses', () => {
  it.each([
    ['no checkpoint', null],
    ['values', { ...valid, values: [] }],
    ['values', { ...valid, values: undefined }],
    ['metadata', { ...valid, metadata: 'x' }],
    ['metadata.step', { ...valid, metadata: { ...valid.metadata, step: -1 } }],
    ['metadata.source', { ...valid, metadata: { ...valid.metadata, source: 1 } }],
    ['metadata.writes', { ...valid, metadata: { step: 0, source: 'loop' } }],
    ['checkpointId', { ...valid, checkpointId: '' }],
    ['parentCheckpointId', { ...valid, parentCheckpointId: 4 }],
    ['createdAt', { ...valid, createdAt: '2026-01-01' }],
    ['createdAt', { ...valid, createdAt: new Date(NaN) }],
    ['nextTasks', { ...valid, nextTasks: ['a', 1] }],
  ])('%s, where it is none', async (_, snapshot) => {
    const storage = new MemoryStorage();
    await expect(put(checkpointSaver(storage), snapshot)).rejects.toMatchObject({ code: 'usage' });
    expect(await storage.listCheckpoints()).toEqual([]);
  });

  it.each([
    ['a function', () => 1, 'checkpoint.values.bad'],
    ['NaN', [NaN], 'checkpoint.values.bad[0]'],
    ['a bigint', 1n, 'checkpoint.values.bad'],
    ['a Map', { deep: new Map() }, 'checkpoint.values.bad.deep'],
    ['an object of a class', new Money(1), 'checkpoint.values.bad'],
    ['undefined in a list', [undefined], 'checkpoint.values.bad[0]'],
  ])('%s', async (_, bad, path) => {
    await expect(
      put(checkpointSaver(new MemoryStorage()), { ...valid, values: { bad } }),
    ).rejects.toMatchObject({
      code: 'value_not_json',
      details: { path },
    });
  });

  it('what goes round in a circle, what is too large, and a thread without a name', async () => {
    const saver = checkpointSaver(new MemoryStorage(), { maxBytes: 1_000 });
    await expect(put(saver, { ...valid, values: circle })).rejects.toMatchObject({ code: 'value_not_json' });
    await expect(put(saver, { ...valid, values: { long: 'x'.repeat(1_000) } })).rejects.toMatchObject({
      code: 'payload_too_large',
      details: { limit: 1_000 },
    });
    for (const thread of ['', null, 4, '\ud800'])
      await expect(put(saver, valid, thread)).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('a checkpointer', () => {
  it('opens a storage by its address when it is needed, and closes it', async () => {
    const address = `sqlite:${join(temporaryFolder('checkpoint-saver'), 'threads.sqlite')}`;
    const saver = checkpointSaver(address);
    await saver.start();
    await put(saver, valid);
    await saver.close();
    expect(await saver.getCheckpoint('t-1')).toStrictEqual(valid);
    await saver.close();
    await expect(checkpointSaver('nowhere:x').start()).rejects.toMatchObject({ code: 'usage' });
  });

  it('encrypts values by codecs', async () => {
    const inner = new MemoryStorage();
    const saver = checkpointSaver(new EncodedStorage(inner, [aesCodec(randomBytes(32))]));
    await put(saver, { ...valid, values: { secret: 'the word' } });
    await put(saver, { ...valid, checkpointId: 'c-1', parentCheckpointId: 'c-0' });
    expect(JSON.stringify(await inner.loadCheckpoint('thread:t-1'))).not.toContain('the word');
    expect((await saver.getCheckpointHistory('t-1')).map(({ checkpointId }) => checkpointId)).toEqual([
      'c-0',
      'c-1',
    ]);
  });

  it('goes over a storage of others, which compares nothing', async () => {
    const memory = new MemoryStorage();
    const others = new Proxy<StorageBackend>(memory, {
      get: (target, name) => {
        const found: unknown = ['append', 'appendNext'].includes(String(name))
          ? undefined
          : Reflect.get(target, name);
        return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      },
    });
    const saver = checkpointSaver(others);
    const all = Array.from({ length: 20 }, (_, i) => ({ ...valid, checkpointId: `c-${i}` }));
    await Promise.all(all.map((each) => put(saver, each)));
    expect(await saver.getCheckpointHistory('t-1')).toStrictEqual(all);
  });

  it('has a checkpoint that was written although its storage said that it failed', async () => {
    const memory = new MemoryStorage();
    let fails = 1;
    const appendNext = memory.appendNext.bind(memory);
    memory.appendNext = async (id, growth) => {
      await appendNext(id, growth);
      if (fails-- > 0) throw new Error('the line is cut');
      return true;
    };
    const saver = checkpointSaver(memory);
    await expect(put(saver, valid)).rejects.toThrow('the line is cut');
    await put(saver, valid);
    await put(saver, { ...valid, checkpointId: 'c-1' });
    expect(await saver.getCheckpointHistory('t-1')).toHaveLength(2);
  });

  it('tells of a record that holds something else', async () => {
    const storage = await openStorage(`file:${temporaryFolder('checkpoint-saver-files')}`);
    const entry = { position: 0, type: 'step', timestamp: 'x', result: { checkpointId: 'c-0' } };
    await storage.saveCheckpoint('thread:t-1', { execution_log: [entry], state: { last: 4 } });
    const saver = checkpointSaver(storage);
    for (const ask of [saver.getCheckpoint('t-1'), saver.getCheckpointHistory('t-1')])
      await expect(ask).rejects.toMatchObject({ code: 'file_failed' });
  });
});
