import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileStorage } from '../../../../src/client/storage/file-storage.js';
import type { CheckpointEntry, Growth } from '../../../../src/client/storage/procedure-metadata.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { isWhole } from '../../../support/sampled.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const root = temporaryFolder('file-storage');
let folders = 0;

function newFolder(): string {
  return join(root, `deep/${folders++}`);
}

describeStorageBackend({
  name: 'FileStorage',
  real: 'a folder of this machine',
  // A file of its own for each, which is written to the disk: 100,000 take minutes.
  many: isWhole ? 100_000 : 2_000,
  open: (place) => new FileStorage(join(root, place)),
  damage: async (place, id, what) => {
    const [file, text] = [join(root, place, `${id}.json`), await keptText(place, id)];
    const spoiled = what === 'state' ? ['"state": {', '"state": '] : [`"position": ${what}`, '"position": x'];
    writeFileSync(file, text.replace(spoiled[0] ?? '', spoiled[1] ?? ''));
  },
  kept: keptText,
});

async function keptText(place: string, id: string): Promise<string> {
  return readFileSync(join(root, place, `${id}.json`), 'utf8');
}

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

describe('FileStorage, of a record that grows', () => {
  const entry = (position: number): CheckpointEntry => ({
    ...{ position, type: 'step', result: 'grün', timestamp: '2026-01-01T00:00:00.000+00:00', duration_ms: 1 },
    ...{ input_hash: null, run_id: 'run', source_location: null, captured_vars: null },
  });
  const growth = (from: number): Growth => ({
    ...{ from, entries: [entry(from)], state: { from }, status: 'RUNNING', waiting_on_message_id: null },
  });
  const record = (folder: string): string => readFileSync(join(folder, 'run.json'), 'utf8');
  const journal = '.run.json.journal';

  async function grow(folder: string, count: number): Promise<FileStorage> {
    const storage = new FileStorage(folder);
    for (let i = 0; i < count; i++) expect(await storage.append('run', growth(i))).toBe(true);
    return storage;
  }

  it('keeps what is new beside it, and folds that into the layout of Tactus', async () => {
    const [folder, whole] = [newFolder(), newFolder()];
    const storage = await grow(folder, 4);
    expect(readdirSync(folder).sort()).toEqual([journal, 'run.json']);
    expect(record(folder)).not.toContain('"position": 1');
    expect(await storage.listCheckpoints()).toEqual(['run']);
    await storage.fold('run');
    expect(readdirSync(folder)).toEqual(['run.json']);
    const log = [entry(0), entry(1), entry(2), entry(3)];
    const state = { from: 3 };
    await new FileStorage(whole).saveCheckpoint('run', { execution_log: log, replay_index: 4, state });
    expect(record(folder)).toBe(record(whole));
  });

  it('is read and added to by a new process, and by another one in between', async () => {
    const folder = newFolder();
    const storage = await grow(folder, 3);
    expect((await new FileStorage(folder).loadProcedureMetadata('run')).execution_log).toHaveLength(3);
    expect(await new FileStorage(folder).append('run', growth(3))).toBe(true);
    expect(await storage.append('run', growth(5))).toBe(false);
    expect(await storage.append('run', growth(4))).toBe(true);
    expect((await storage.loadProcedureMetadata('run')).execution_log).toHaveLength(5);
  });

  it('loses nothing but a line that a crash has cut off, and goes on behind it', async () => {
    const folder = newFolder();
    await grow(folder, 4);
    const bytes = readFileSync(join(folder, journal));
    for (let end = bytes.lastIndexOf('{"from":3'); end < bytes.length - 1; end += 7) {
      writeFileSync(join(folder, journal), bytes.subarray(0, end));
      const later = new FileStorage(folder);
      expect((await later.loadProcedureMetadata('run')).execution_log).toHaveLength(3);
    }
    const later = new FileStorage(folder);
    expect(await later.append('run', growth(3))).toBe(true);
    expect(await later.append('run', growth(4))).toBe(true);
    expect((await later.loadProcedureMetadata('run')).execution_log).toHaveLength(5);
  });

  it('takes a whole record that somebody else wrote for the newer one', async () => {
    const [folder, other] = [newFolder(), newFolder()];
    const storage = await grow(folder, 3);
    await new FileStorage(other).saveCheckpoint('run', { status: 'FAILED' });
    writeFileSync(join(folder, 'run.json'), record(other));
    expect(await storage.loadProcedureMetadata('run')).toMatchObject({ status: 'FAILED', execution_log: [] });
    expect(await storage.append('run', growth(3))).toBe(false);
    expect(await storage.append('run', growth(0))).toBe(true);
    expect((await storage.loadProcedureMetadata('run')).execution_log).toHaveLength(1);
  });

  it('names a journal that is damaged, and leaves it as it is', async () => {
    const folder = newFolder();
    const storage = await grow(folder, 3);
    const file = join(folder, journal);
    writeFileSync(file, readFileSync(file, 'utf8').replace('{"from":1', '{"from":'));
    const damaged = readFileSync(file, 'utf8');
    await expect(storage.loadProcedureMetadata('run')).rejects.toMatchObject({ code: 'file_failed' });
    await expect(new FileStorage(folder).append('run', growth(3))).rejects.toMatchObject({
      code: 'file_failed',
    });
    expect(readFileSync(file, 'utf8')).toBe(damaged);
  });
});
