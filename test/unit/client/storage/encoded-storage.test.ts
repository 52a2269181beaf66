import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EncodedStorage } from '../../../../src/client/storage/encoded-storage.js';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import { emptyMetadata } from '../../../../src/client/storage/procedure-metadata.js';
import type { StorageBackend } from '../../../../src/client/storage/storage-backend.js';
import { aesCodec } from '../../../support/aes-codec.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { entry, full, growth } from './storage-suite/samples.js';

const codecs = [aesCodec(randomBytes(32))];
const secret = 'nobody else may read this';

function textBelow(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}

describe.each(['file', 'sqlite'])('encoded records in %s', (kind) => {
  async function open(): Promise<{ folder: string; plain: StorageBackend; storage: EncodedStorage }> {
    const folder = temporaryFolder('encoded');
    const plain = await openStorage(
      kind === 'file' ? `file:${folder}` : `sqlite:${join(folder, 'a.sqlite')}`,
    );
    return { folder, plain, storage: new EncodedStorage(plain, codecs) };
  }

  it('are what they were to who has the key, and tell others nothing but how they stand', async () => {
    const { folder, plain, storage } = await open();
    const record = { ...full, state: { secret }, lua_state: { secret } };
    expect(await storage.supersede?.('run-1', record)).toBe(true);
    await storage.append?.('run-1', {
      ...growth(1, [entry(1, { secret }), entry(2, null)]),
      state: { secret },
    });
    await storage.stateSet('run-1', 'more', secret);
    await storage.fold?.('run-1');
    expect(textBelow(folder)).not.toContain(secret);
    expect(textBelow(folder)).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
    expect(await storage.loadCheckpoint('run-1')).toEqual({
      ...record,
      execution_log: [...full.execution_log, entry(1, { secret }), entry(2, null)],
      ...{ replay_index: 3, state: { secret, more: secret } },
      ...{ status: 'RUNNING', waiting_on_message_id: null },
    });
    expect(await storage.getState('run-1')).toEqual({ secret, more: secret });
    await storage.updateProcedureStatus('run-1', 'FAILED');
    expect(await plain.listCheckpoints({ status: 'FAILED' })).toEqual(['run-1']);
    expect((await plain.loadProcedureMetadata('run-1')).execution_log).toMatchObject([
      { type: 'agent_writer_turn', duration_ms: 12.5 },
      { type: 'step', position: 1 },
      { type: 'step', position: 2, result: null },
    ]);
    await storage.close();
  });

  it('are what was told of them last, though it takes time to encode them', async () => {
    const { plain, storage } = await open();
    await Promise.all([
      storage.saveCheckpoint('run-1', { status: 'RUNNING', state: { secret } }),
      storage.updateProcedureStatus('run-1', 'FAILED'),
      storage.saveCheckpoint('run-2', { state: { secret } }),
      storage.deleteCheckpoint('run-2'),
    ]);
    expect(await plain.listCheckpoints()).toEqual(['run-1']);
    expect(await plain.listCheckpoints({ status: 'FAILED' })).toEqual(['run-1']);
    await storage.close();
  });

  it('are refused with another key, and those from before are read', async () => {
    const { plain, storage } = await open();
    await plain.saveCheckpoint('before', { state: { secret }, execution_log: [entry(0)] });
    expect(await storage.loadCheckpoint('before')).toEqual({
      ...emptyMetadata('before'),
      ...{ state: { secret }, execution_log: [entry(0)] },
    });
    await storage.saveProcedureMetadata('run-1', { ...full, state: { secret } });
    const other = new EncodedStorage(plain, [aesCodec(randomBytes(32))]);
    await expect(other.loadCheckpoint('run-1')).rejects.toMatchObject({
      ...{ code: 'file_failed', message: expect.stringContaining('run-1') as string },
    });
    expect(await storage.loadCheckpoint('nothing')).toBeNull();
    expect(await storage.getState('nothing')).toEqual({});
    await storage.close();
  });
});
