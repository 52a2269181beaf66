import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Payload } from '@temporalio/common';
import { maxInlineBytes } from '../../../../src/contract/runs/limits.js';
import { openPayloadStore } from '../../../../src/worker/payloads/store/open-payload-store.js';
import {
  ClaimCheckCodec,
  type ListedPayloadStore,
} from '../../../../src/worker/payloads/store/payload-store.js';
import { prunePayloads, type Pruned } from '../../../../src/worker/payloads/store/prune-payloads.js';
import { awsCredentials } from '../../../support/aws-credentials.js';
import { hasS3, startS3, type TestS3 } from '../../../support/s3-server.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

/** Stores of payloads, and what `payloads prune` does with them. */

const dayMs = 86_400_000;
const unusedMs = 7 * dayMs;
const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const [used, unused, file] = [keyOf('used'), keyOf('unused'), 'file-0123456789abcdef-00'];

describe('in a folder', () => stores(() => openPayloadStore(temporaryFolder('payloads'))));

describe.skipIf(!hasS3)('in S3', () => {
  let server: TestS3;
  let folders = 0;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
    server = await startS3();
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    vi.unstubAllEnvs();
  });

  stores(() => openPayloadStore(server.address(`payloads/${folders++}`)));

  it('a bucket that is not there is named, and what to do', async () => {
    const store = openPayloadStore(server.address('x').replace('storage', 'nothing'));
    await expect(store.put(used, Buffer.from('a'))).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('There is no such bucket: make it first') as string,
    });
  });
});

it.each(['s3://', 's3://a b/c', 's3://bucket?regoin=eu', 's3://bucket?endpoint=http://a@b'])(
  '%s is no address of a bucket',
  (place) => expect(() => openPayloadStore(place)).toThrow('An address of this storage is s3://BUCKET'),
);

function stores(open: () => ListedPayloadStore): void {
  let store: ListedPayloadStore;
  beforeEach(() => {
    store = open();
  });
  const put = (...keys: string[]) => Promise.all(keys.map((key) => store.put(key, Buffer.from(key))));
  const keys = async (): Promise<string[]> => (await store.list('')).map(({ key }) => key).sort();
  const prune = async (afterMs: number, inUse = [used], isDryRun = false): Promise<Pruned> =>
    prunePayloads(store, await store.list(''), new Set(inUse), {
      ...{ unusedMs, isDryRun, now: Date.now() + afterMs },
    });
  const payload: Payload = {
    metadata: { encoding: Buffer.from('binary/plain') },
    data: randomBytes(maxInlineBytes + 1),
  };

  it('what is put is there, byte by byte, until it is removed', async () => {
    const bytes = randomBytes(70_000);
    await store.put(used, bytes);
    expect(Buffer.from((await store.get(used)) ?? []).equals(bytes)).toBe(true);
    expect([await store.has(used), await store.has(unused), await store.get(unused)]).toEqual([
      ...[true, false, null],
    ]);
    await put(unused, file);
    const [found] = await store.list('file-');
    expect(found).toMatchObject({ key: file, size: file.length });
    expect(Math.abs((found?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    await store.remove(unused);
    await store.remove(unused);
    expect(await keys()).toEqual([used, file].sort());
  });

  it('holds what is too large for the server', async () => {
    const codec = new ClaimCheckCodec(store);
    const [claim] = await codec.encode([payload]);
    const [back] = await codec.decode([claim as Payload]);
    expect(Buffer.from(back?.data ?? []).equals(Buffer.from(payload.data ?? []))).toBe(true);
  });

  it('what nothing refers to is set aside when it is old, and deleted when it was set aside long ago', async () => {
    await put(used, unused, file);
    const bytes = used.length;
    const none = { count: 0, bytes: 0 };
    expect(await prune(unusedMs - dayMs)).toMatchObject({
      kept: { count: 2, bytes: 2 * bytes },
      set_aside: none,
    });
    expect(await prune(unusedMs + dayMs, [used], true)).toMatchObject({ set_aside: { count: 1, bytes } });
    expect(await keys()).toEqual([used, unused, file].sort());

    expect(await prune(unusedMs + dayMs)).toEqual({
      ...{ kept: { count: 1, bytes }, set_aside: { count: 1, bytes } },
      ...{ restored: none, waiting: none, deleted: none },
    });
    const aside = [used, `unused-${unused}`, file].sort();
    expect(await keys()).toEqual(aside);
    // What was set aside a moment ago is kept for a while, however old it was.
    expect(await prune(0)).toMatchObject({ waiting: { count: 1, bytes }, deleted: none });
    expect(await prune(unusedMs + dayMs, [used], true)).toMatchObject({ deleted: { count: 1, bytes } });
    expect(await keys()).toEqual(aside);
    expect(await prune(unusedMs + dayMs)).toMatchObject({ deleted: { count: 1, bytes }, set_aside: none });
    expect(await keys()).toEqual([used, file].sort());
  });

  it('what was set aside comes back where something refers to it, however long ago that was', async () => {
    await put(unused);
    await prune(unusedMs + dayMs);
    expect(await prune(9 * unusedMs, [unused])).toMatchObject({
      restored: { count: 1 },
      deleted: { count: 0 },
    });
    expect(await keys()).toEqual([unused]);
    expect(Buffer.from((await store.get(unused)) ?? []).toString()).toBe(unused);
  });

  it('one that is there and aside is set aside anew, and not lost', async () => {
    await put(unused, `unused-${unused}`);
    expect(await prune(unusedMs + dayMs)).toMatchObject({ set_aside: { count: 1 }, deleted: { count: 1 } });
    expect(await keys()).toEqual([`unused-${unused}`]);
    expect(await prune(0)).toMatchObject({ waiting: { count: 1 }, deleted: { count: 0 } });
  });

  it('one that is put while the server is read is young', async () => {
    await put(unused);
    const listed = (await store.list('')).map((each) => ({ ...each, at: each.at - unusedMs - dayMs }));
    const pruned = await prunePayloads(store, listed, new Set(), { unusedMs, isDryRun: false });
    expect(pruned).toMatchObject({ kept: { count: 1 }, set_aside: { count: 0 } });
  });

  it('what was set aside comes back to whoever asks for it', async () => {
    const codec = new ClaimCheckCodec(store);
    const [claim] = await codec.encode([payload]);
    const key = Buffer.from(claim?.data ?? []).toString();
    await prune(unusedMs + dayMs, []);
    expect(await keys()).toEqual([`unused-${key}`]);
    const [back] = await codec.decode([claim as Payload]);
    expect(Buffer.from(back?.data ?? []).equals(Buffer.from(payload.data ?? []))).toBe(true);
    expect(await keys()).toEqual([key, `unused-${key}`].sort());
    // It is put again, and so it isn't old.
    expect(await prune(unusedMs - dayMs, [])).toMatchObject({ kept: { count: 1 } });
  });
}
