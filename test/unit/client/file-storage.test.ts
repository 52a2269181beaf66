import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileStorage } from '../../../src/client/storage/file-storage.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = temporaryFolder('file-storage');
let folders = 0;

function newFolder(): string {
  return join(root, `deep/${folders++}`);
}

describeStorageBackend('FileStorage', () => new FileStorage(newFolder()));

describe('FileStorage on disk', () => {
  it('writes the layout of Tactus', async () => {
    const folder = newFolder();
    await new FileStorage(folder).stateSet('review-1', 'n', 1);
    expect(readdirSync(folder)).toEqual(['review-1.json']);
    expect(JSON.parse(readFileSync(join(folder, 'review-1.json'), 'utf8'))).toEqual({
      procedure_id: 'review-1',
      execution_log: [],
      replay_index: 0,
      state: { n: 1 },
      lua_state: {},
      status: 'RUNNING',
      waiting_on_message_id: null,
    });
  });

  it('leaves nothing beside its records, and no file outside of its folder', async () => {
    const folder = newFolder();
    const storage = new FileStorage(folder);
    const ids = ['../../outside', '/tmp/outside', 'a/b', '..', 'C:\\outside'];
    await Promise.all(ids.map((id) => storage.stateSet(id, 'a', 1)));
    expect(readdirSync(folder)).toHaveLength(ids.length);
    expect(readdirSync(folder).every((name) => /^[A-Za-z0-9_%.-]+\.json$/.test(name))).toBe(true);
  });

  it('is read by a new process, and shared by two storages of one', async () => {
    const folder = newFolder();
    const [one, other] = [
      new FileStorage(folder),
      new FileStorage(`${folder}/../${folder.split('/').at(-1)}`),
    ];
    const changes = Array.from({ length: 40 }, (_, n) => (n % 2 ? one : other).stateSet('run', `k${n}`, n));
    await Promise.all(changes);
    expect(Object.keys(await new FileStorage(folder).getState('run'))).toHaveLength(40);
  });

  it('takes no notice of files of others, nor of what a crash left', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'traces'), { recursive: true });
    for (const name of [
      '.run.json.1234abcd.tmp',
      'notes.txt',
      'with space.json',
      'a%2fb.json',
      '%41.json',
      '~x.json',
    ]) {
      writeFileSync(join(folder, name), '{');
    }
    const storage = new FileStorage(folder);
    await storage.saveCheckpoint('run', {});
    expect(await storage.listCheckpoints({ status: 'RUNNING' })).toEqual(['run']);
  });

  it.each<[string, string | Uint8Array]>([
    ['an empty file', ''],
    ['half a record', '{"procedure_id": "run", "execution_log": [{"posi'],
    ['a list', '[]'],
    ['a state that is text', '{"state": "x"}'],
    ['an entry without type', '{"execution_log": [{"position": 0, "timestamp": "x"}]}'],
    ['the record of another', '{"procedure_id": "Run"}'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('names a file that holds %s, and leaves it as it is', async (_name, content) => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'run.json');
    writeFileSync(file, content);
    const storage = new FileStorage(folder);
    const damaged = { code: 'file_failed', message: expect.stringContaining(file) as string };
    await expect(storage.loadProcedureMetadata('run')).rejects.toMatchObject(damaged);
    await expect(storage.getState('run')).rejects.toMatchObject(damaged);
    await expect(storage.stateSet('run', 'a', 1)).rejects.toMatchObject(damaged);
    await expect(storage.updateProcedureStatus('run', 'FAILED')).rejects.toMatchObject(damaged);
    await expect(storage.listCheckpoints({ status: 'RUNNING' })).rejects.toMatchObject(damaged);
    expect(readFileSync(file)).toEqual(Buffer.from(content));
    await storage.saveProcedureMetadata(
      'run',
      await new FileStorage(newFolder()).loadProcedureMetadata('run'),
    );
    expect((await storage.loadProcedureMetadata('run')).status).toBe('RUNNING');
  });

  it('says so when a hashed name holds no record', async () => {
    const folder = newFolder();
    const storage = new FileStorage(folder);
    await storage.saveCheckpoint('y'.repeat(300), {});
    const [name = ''] = readdirSync(folder);
    writeFileSync(join(folder, name), '{');
    await expect(storage.listCheckpoints()).rejects.toMatchObject({ code: 'file_failed' });
  });

  it('leaves no temporary file where writing fails', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'run.json'), { recursive: true });
    await expect(new FileStorage(folder).saveCheckpoint('run', {})).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['run.json']);
  });
});
