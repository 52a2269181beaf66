import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Payload } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { EncodedStorage } from '../../../src/client/storage/encoded-storage.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import { withEncodeRetries } from '../../../src/worker/payloads/codecs/configured-codecs.js';
import { EncryptionCodec } from '../../../src/worker/payloads/codecs/encryption/encryption-codec.js';
import { freshMs, SubjectKeys } from '../../../src/worker/payloads/codecs/encryption/subject-keys.js';
import { subjectOf } from '../../../src/worker/payloads/codecs/encryption/subject-of.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const may = Buffer.alloc(32, 5);
const nov = Buffer.alloc(32, 11);
const masters = new Map([
  ['may', may],
  ['nov', nov],
]);
const plain: Payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"a"') };
const ownerOf = (workflowId: string) => ({ type: 'workflow', namespace: 'default', workflowId }) as const;
const keyIdOf = (payload: Payload | undefined): string =>
  Buffer.from(payload?.metadata?.['encryption-key-id'] ?? []).toString();
const codecOf = (keys: SubjectKeys): EncryptionCodec =>
  new EncryptionCodec({
    ...{ key: 'may', keys: masters, requires: false, compresses: true },
    subjects: { keys, pattern: 'customer-*' },
  });

describe('the subject of a run', () => {
  it.each([
    ['customer-17/order', 'customer-*', 'customer-17'],
    ['customer-17', 'customer-*', 'customer-17'],
    // Of a child run, a fork, a schedule, and the scores of a run.
    ['customer-17/order/4.0.2', 'customer-*', 'customer-17'],
    ['customer-17/order-1f3a', 'customer-*', 'customer-17'],
    ['customer-17/daily-2026-11-28T06:00:00Z', 'customer-*', 'customer-17'],
    ['tactus-scores/customer-17/order', 'customer-*', 'customer-17'],
    ['tactus-dead-letter/abc', '*', 'tactus-dead-letter'],
    ['order/customer-17', 'customer-*', null],
    ['customer', 'customer-*', null],
    ['', '*', null],
    ['/a', '*', null],
    ['a-b-c', 'a-*-c', 'a-b-c'],
    ['a-c', 'a-*-c', null],
    ['aba', 'ab*ba', null],
    ['a-b-c-b-c', 'a*b*c', 'a-b-c-b-c'],
    ['anyone', 'anyone', 'anyone'],
    ['customer.17', 'customer?17', null],
  ])('%s with %s is %s', (id, pattern, subject) => {
    expect(subjectOf(id, pattern)).toBe(subject);
  });

  it('is found at once, however the pattern is made', () => {
    const began = performance.now();
    expect(subjectOf('a'.repeat(1_000), `${'*a'.repeat(200)}b`)).toBe(null);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe('the key of a subject', () => {
  it('is made once, whoever is first, and encrypts what its runs keep', async () => {
    const folder = temporaryFolder('keys');
    const all = Array.from({ length: 8 }, () => new SubjectKeys(folder, masters, 'may'));
    const made = await Promise.all(all.map((keys) => keys.ofSubject('customer-17')));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(new Set(made.map(({ key }) => key?.toString('hex'))).size).toBe(1);
    const files = readdirSync(folder).filter((name) => name !== 'ids');
    expect(files).toEqual([expect.stringMatching(/^[\da-f]{64}\.json$/)]);
    const text = readFileSync(join(folder, files[0] ?? ''), 'utf8');
    expect(text).not.toContain(made[0]?.key?.toString('base64'));

    const [first, other, none] = await Promise.all(
      ['customer-17/a', 'customer-18/a', 'shop/a'].map(
        async (id, i) => (await codecOf(all[i] as SubjectKeys).encode([plain], ownerOf(id)))[0],
      ),
    );
    expect(keyIdOf(first)).toBe(`subject/${made[0]?.id}`);
    expect(keyIdOf(other)).toMatch(/^subject\/[\da-f-]{36}$/);
    expect(keyIdOf(other)).not.toBe(keyIdOf(first));
    expect(keyIdOf(none)).toBe('may');
    // Wherever it is read: an archive tells no run.
    const reader = codecOf(new SubjectKeys(folder, masters, 'nov'));
    const decoded = await reader.decode([first, other, none] as Payload[]);
    expect(decoded.map(({ data }) => Buffer.from(data ?? []).toString())).toEqual(['"a"', '"a"', '"a"']);
  });

  it('encrypts records of its runs, too', async () => {
    const keys = new SubjectKeys(temporaryFolder('keys'), masters, 'may');
    const kept = new MemoryStorage();
    const storage = new EncodedStorage(kept, [codecOf(keys)]);
    await storage.setState('customer-17/a', { name: 'Hyacinth' });
    await keys.destroy('customer-17');
    await expect(async () => storage.getState('customer-17/a')).rejects.toThrow('was destroyed on');
  });

  it('that was destroyed is gone for all within a minute, and is not made again', async () => {
    const folder = temporaryFolder('keys');
    let now = 0;
    const running = new SubjectKeys(folder, masters, 'may', () => now);
    const codec = codecOf(running);
    const [first] = await codec.encode([plain], ownerOf('customer-17/a'));
    const [other] = await codec.encode([plain], ownerOf('customer-18/a'));
    expect(await codec.decode([first as Payload])).toHaveLength(1);
    const today = new Date().toISOString().slice(0, 10);
    const destroyed = await new SubjectKeys(folder, masters, 'may').destroy('customer-17');
    expect(destroyed).toMatchObject({ subject: null, master: null });
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text.includes('destroyed_at')).toBe(!text.includes('wrapped'));
      expect(text).not.toContain('customer-17');
    }
    now = freshMs - 1;
    expect(await codec.decode([first as Payload])).toHaveLength(1);
    now = freshMs;
    const reads = () => codec.decode([first as Payload], ownerOf('customer-17/a'));
    await expect(reads).rejects.toMatchObject({ code: 'codec_failed' });
    await expect(reads).rejects.toThrow(
      `of run customer-17/a can't be read or written: the key of this subject was destroyed on ${today}`,
    );
    await expect(async () => codec.encode([plain], ownerOf('customer-17/b'))).rejects.toThrow('destroyed on');
    expect(await codec.decode([other as Payload])).toHaveLength(1);
    expect(await running.destroy('customer-17')).toEqual(destroyed);
    expect(await running.destroy('customer-99')).toBe(null);
    expect((await running.list()).map(({ subject }) => subject).sort()).toEqual(['customer-18', null]);
  });

  it('holds no worker: what its runs come to is written for nobody', async () => {
    const keys = new SubjectKeys(temporaryFolder('keys'), masters, 'may');
    const own = codecOf(keys);
    await own.encode([plain], ownerOf('customer-17/a'));
    await keys.destroy('customer-17');
    const patience = { signal: new AbortController().signal, tell: () => undefined };
    const [worker] = withEncodeRetries({ payloadCodecs: [own] }, patience).payloadCodecs ?? [];
    const [written] = (await worker?.encode([plain], ownerOf('customer-17/a'))) ?? [];
    expect(Buffer.from(written?.data ?? []).includes('"a"')).toBe(false);
    await expect(async () => worker?.decode([written as Payload])).rejects.toThrow('destroyed on');
  });

  it('is encrypted with the current key by a rotation, and stays destroyed', async () => {
    const folder = temporaryFolder('keys');
    const before = new SubjectKeys(folder, masters, 'may');
    const key = await before.ofSubject('customer-17');
    await before.ofSubject('customer-18');
    await before.destroy('customer-18');
    const after = new SubjectKeys(folder, masters, 'nov');
    expect(await after.rewrap()).toEqual({ keys: 1, rewrapped: 1 });
    expect(await after.rewrap()).toEqual({ keys: 1, rewrapped: 0 });
    const only = new Map([['nov', nov]]);
    expect(await new SubjectKeys(folder, only, 'nov').ofSubject('customer-17')).toEqual(key);
    expect((await new SubjectKeys(folder, only, 'nov').ofSubject('customer-18')).key).toBe(null);
    const none = new SubjectKeys(folder, new Map([['may', may]]), 'may');
    await expect(async () => none.ofSubject('customer-17')).rejects.toThrow(
      'encrypted with the key "nov", which is not among codec.encryption.keys (may)',
    );
  });

  it('that the folder does not have is named with the setting', async () => {
    const [made] = await codecOf(new SubjectKeys(temporaryFolder('keys'), masters, 'may')).encode(
      [plain],
      ownerOf('customer-17/a'),
    );
    const elsewhere = codecOf(new SubjectKeys(temporaryFolder('keys'), masters, 'may'));
    await expect(async () => elsewhere.decode([made as Payload])).rejects.toThrow(
      /the folder \S+ doesn't have it\. codec\.encryption\.subjects\.folder must be/,
    );
  });
});
