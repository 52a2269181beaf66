import { readFileSync, readdirSync, statSync, mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from '../../src/cli/runs/progress-view.js';
import { FileStorage } from '../../src/client/storage/file-storage.js';
import type { FileInput } from '../../src/contract/activities.js';
import { FilePayloadStore } from '../../src/worker/payloads/store/file-payload-store.js';
import { smallDisk } from '../support/small-disk.js';
import { runActivity, failureOf } from './activities/run-activity.js';
import { entry, growth } from './client/storage/storage-suite/samples.js';

const disk = smallDisk('1m');
const folder = disk?.path ?? '';
let root = '';
let count = 0;

describe.skipIf(disk === null)('on a full disk', () => {
  beforeEach(() => {
    root = join(folder, String(count++));
    mkdirSync(root);
  });
  afterEach(() => disk?.clear());

  const append = (idempotencyKey: string, content: string) => {
    const input: FileInput = { operation: 'append', path: 'big.txt', content, idempotencyKey };
    return runActivity('file', input, { deps: { filesRoot: root } });
  };
  const big = (): string => readFileSync(join(root, 'big.txt'), 'utf8');

  it('an append that has no room fails, and leaves the file as it was', async () => {
    await append('1', '1'.repeat(300_000));
    await append('2', '2'.repeat(300_000));
    const before = big();
    const failure = await failureOf(append('3', 'ü'.repeat(300_000)));
    expect(failure.message).toContain("can't be written: no space is left");
    expect(big()).toBe(before);
    disk?.fill();
    await failureOf(append('4', 'one more'));
    expect(big()).toBe(before);
    disk?.clear();
    // The same call once more, and others: each is there once, and what failed isn't taken for done.
    await append('5', 'five');
    await append('3', 'three');
    await append('5', 'five');
    expect(big()).toBe(`${before}fivethree`);
    expect(readdirSync(root).sort()).toEqual(['.big.txt.appends', 'big.txt']);
    await runActivity(
      'file',
      { operation: 'delete', path: 'big.txt', idempotencyKey: '9' },
      { deps: { filesRoot: root } },
    );
  });

  it('a file, and one of data, is written whole or stays what it was', async () => {
    const write = (content: string) => {
      const input: FileInput = { operation: 'write', path: 'a.txt', content, idempotencyKey: 'w' };
      return runActivity('file', input, { deps: { filesRoot: root } });
    };
    const data = Array.from({ length: 20_000 }, (_, i) => ({ i, text: `${i} of many` }));
    const writeRows = () =>
      runActivity(
        'dataFileOutcome',
        { path: 'a.parquet', format: 'parquet', operation: 'write', data },
        { deps: { filesRoot: root } },
      );
    await write('before');
    disk?.fill();
    expect((await failureOf(write('x'.repeat(200_000)))).message).toContain('no space is left');
    expect((await failureOf(writeRows())).message).toContain('no space is left');
    expect(readdirSync(root)).toEqual(['a.txt']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('before');
  });

  it('a record of the mirror keeps all that it was told, and takes the rest when there is room', async () => {
    const storage = new FileStorage(root);
    const long = (position: number) => growth(position, [entry(position, 'x'.repeat(10_000))]);
    for (let position = 0; position < 4; position++) await storage.append('run-1', long(position));
    disk?.fill();
    const known = await storage.loadCheckpoint('run-1');
    let position = 4;
    const grow = async (): Promise<void> => {
      for (; position < 40; position++) await storage.append('run-1', long(position));
    };
    await expect(grow()).rejects.toThrow(/no space/);
    const kept = await new FileStorage(root).loadCheckpoint('run-1');
    expect(kept?.execution_log.length).toBe(position);
    expect(kept?.execution_log.slice(0, 4)).toEqual(known?.execution_log);
    disk?.clear();
    await grow();
    expect((await new FileStorage(root).loadCheckpoint('run-1'))?.execution_log).toHaveLength(40);
    expect((await readdir(root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('a payload is there whole or not at all', async () => {
    const store = new FilePayloadStore(root);
    disk?.fill();
    await expect(store.put('a', new Uint8Array(200_000))).rejects.toThrow();
    expect(await store.get('a')).toBeNull();
    expect(readdirSync(root)).toEqual([]);
    disk?.clear();
    await store.put('a', new Uint8Array(200_000));
    expect(statSync(join(root, 'a')).size).toBe(200_000);
  });

  it('what a run says is shown, and at most shown again', () => {
    const before = process.cwd();
    process.chdir(root);
    try {
      const cursor = { started_at: 'now', shown: 1, log: 0 };
      writeCursor('run', cursor);
      disk?.fill();
      for (let shown = 2; shown < 30; shown++) writeCursor('run', { ...cursor, shown });
      expect(readCursor('run', 'now')).toEqual(cursor);
      disk?.clear();
      writeCursor('run', { ...cursor, shown: 30 });
      expect(readCursor('run', 'now').shown).toBe(30);
    } finally {
      process.chdir(before);
    }
  });
});
