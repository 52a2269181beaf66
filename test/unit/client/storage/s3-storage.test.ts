import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  fromKey,
  keyAfter,
  keyPrefix,
  statusKey,
  toKey,
} from '../../../../src/client/storage/documents/s3-bucket.js';
import { S3Store } from '../../../../src/client/storage/documents/s3-store.js';
import { compareIds } from '../../../../src/client/storage/storage-backend.js';
import { freePort } from '../../../../src/worker/server/embedded-server/free-port.js';
import { openStorage } from '../../../../src/client/storage/open-storage.js';
import { awsCredentials } from '../../../support/aws-credentials.js';
import { hasS3, startS3, type TestS3 } from '../../../support/s3-server.js';
import { isWhole } from '../../../support/sampled.js';
import { damagedHead } from './document-suite/damaged-head.js';
import { describeDocumentStore } from './document-suite/document-store.suite.js';
import { describeStorageBackend } from './storage-backend.suite.js';
import { newPlace } from './storage-suite/tested-backend.js';

describe.skipIf(!hasS3)('with S3Proxy', () => {
  let server: TestS3;

  beforeAll(async () => {
    for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
    server = await startS3();
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    vi.unstubAllEnvs();
  });

  /** A place is a folder. */
  const open = (place: string) => openStorage(server.address(place));
  const headOf = (place: string, id: string) => ({
    Bucket: server.bucket,
    Key: `${place}/heads/${toKey(id)}`,
  });

  async function keys(Prefix: string): Promise<string[]> {
    const { Contents = [] } = await server.client.send(
      new ListObjectsV2Command({ Bucket: server.bucket, Prefix }),
    );
    return Contents.map(({ Key = '' }) => Key);
  }

  async function read(
    place: string,
    id: string,
  ): Promise<{ text: string; Metadata: Record<string, string> }> {
    const { Body, Metadata = {} } = await server.client.send(new GetObjectCommand(headOf(place, id)));
    return { text: (await Body?.transformToString()) ?? '', Metadata };
  }

  describeDocumentStore({
    name: 'S3',
    open: (place, endpoint) => S3Store.open(server.address(place, endpoint)),
    endpoint: () => server.endpoint,
    isHead: ({ method, url }) => method === 'PUT' && url?.includes('/heads/') === true,
    count: async (place) => (await keys(`${place}/`)).length,
  });

  describeStorageBackend({
    name: 'S3',
    real: 'S3Proxy 4.1',
    many: isWhole ? 100_000 : 500,
    open,
    unable: [
      [
        /^(loses no checkpoint|and loses none of a ledger)/,
        'S3Proxy looks at a condition and writes in two steps, and others come in between at times',
      ],
    ],
    damage: async (place, id, what) => {
      const { text, Metadata } = await read(place, id);
      const Body = damagedHead(text, what);
      await server.client.send(new PutObjectCommand({ ...headOf(place, id), Body, Metadata }));
    },
    kept: async (place, id) => `${id}: ${JSON.stringify(await read(place, id))}`,
  });

  it('shows under a status what stands there, whoever died between two writes', async () => {
    const place = newPlace();
    const storage = await open(place);
    const ids = ['run-1', 'run-2', 'run-3'];
    for (const id of ids) await storage.saveCheckpoint(id, { status: 'A' });
    // Somebody has died before the head, which is still at A, and somebody behind one, which nobody has removed from A.
    const entries = ['run-1!!0000', 'run-9!!0000'].map(
      (entry) => `${place}/status/${statusKey('"B"')}/${entry}`,
    );
    expect(await keys(`${place}/status/`)).toHaveLength(3);
    const [standing = ''] = await keys(`${place}/status/`);
    for (const Key of [...entries, `${standing}0`])
      await server.client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body: 'x' }));
    expect(await storage.listCheckpoints({ status: 'A' })).toEqual(ids);
    expect(await storage.listCheckpoints({ status: 'A', limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await storage.listCheckpoints({ status: 'B' })).toEqual([]);
    await storage.updateProcedureStatus('run-1', 'B');
    expect(await storage.listCheckpoints({ status: 'B' })).toEqual(['run-1']);
    expect(await storage.listCheckpoints({ status: 'A' })).toEqual(['run-2', 'run-3']);
    await storage.close?.();
  });

  it.each([
    ['there is no such bucket', 's3://no-such-bucket/x', {}, 'There is no such bucket'],
    [
      'credentials are unknown',
      's3://storage/x',
      { AWS_ACCESS_KEY_ID: 'other' },
      'The credentials are not taken',
    ],
    [
      'credentials are wrong',
      's3://storage/x',
      { AWS_SECRET_ACCESS_KEY: 'x' },
      'The credentials are not taken',
    ],
    [
      'there are no credentials',
      's3://storage/x',
      { AWS_ACCESS_KEY_ID: '', AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/none' },
      'There are no credentials',
    ],
  ])('says so where %s', async (_name, address, environment, told) => {
    for (const [name, value] of Object.entries({ AWS_SHARED_CREDENTIALS_FILE: '/none', ...environment }))
      vi.stubEnv(name, value);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
    });
    const storage = await openStorage(address + server.address('').slice(server.address('').indexOf('?')));
    await expect((async () => storage.getState('run-1'))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining(told) as string,
    });
    await storage.close?.();
  });

  it('says that the server is away, and goes on when it is back', async () => {
    const port = await freePort();
    const storage = await openStorage(`s3://storage/x?region=eu-west-1&endpoint=http://127.0.0.1:${port}`);
    await expect((async () => storage.stateSet('run-1', 'a', 1))()).rejects.toMatchObject({
      code: 'file_failed',
      message: expect.stringContaining('S3, bucket "storage": Nothing answers there') as string,
    });
    const later = await startS3(port);
    await storage.stateSet('run-1', 'a', 2);
    expect(await storage.getState('run-1')).toEqual({ a: 2 });
    await storage.close?.();
    await later.stop();
  }, 60_000);
});

it.each(['s3:', 's3://', 's3://x', 's3://bucket/x?key=secret', `s3://bucket/${'x'.repeat(200)}`])(
  'S3 is not opened by %j',
  async (address) => {
    await expect(openStorage(address)).rejects.toMatchObject({ code: 'usage' });
  },
);

it('keys of S3 have the order and the beginnings of ids, in ASCII, and give them back', () => {
  const characters = fc.constantFrom(
    ...'\0\u001f !"-./09:Az}~\u007f',
    'é',
    '\uffee',
    '\u{1f600}',
    '\u{10ffff}',
  );
  const ids = fc.array(characters, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      const [a, b] = [toKey(one), toKey(other)];
      expect(a).toMatch(/^[!-}~]+$/);
      expect(a).not.toMatch(/[/]|^\.+$/);
      expect(fromKey(a)).toBe(one);
      expect(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))).toBe(
        Math.sign(compareIds(one, other)),
      );
      expect(a.startsWith(keyPrefix(other))).toBe(one.startsWith(other));
      if (compareIds(one, other) > 0)
        expect(Buffer.compare(Buffer.from(a), Buffer.from(keyAfter(other)))).toBe(1);
    }),
    { seed: Number(process.env['SAMPLE_SEED'] ?? 1) },
  );
});
