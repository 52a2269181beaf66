import { CopyObjectCommand, DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { awsCredentials } from '../../support/aws-credentials.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { hasS3, startS3, type TestS3 } from '../../support/s3-server.js';

/** `payloads prune`, and a payload store that is a bucket. */

const payloads = '.tactus-temporal/payloads';
const long = new Date(Date.now() - 30 * 86_400_000);
let folder: CliFolder;
afterEach(() => folder?.close());

/** A run with an input that is too large for the server. */
async function start(id: string): Promise<void> {
  folder.write(
    'main.tac',
    'Procedure { input = { text = field.string{required = true} }, function(input) return { #input.text, Human.input("Name?") } end }',
  );
  folder.write('input.json', JSON.stringify({ text: randomBytes(1_500_000).toString('base64') }));
  const started = await folder.runHere(['run', 'main.tac', '--id', id, '--input', '@input.json', '--json']);
  expect(started.code, started.stderr).toBe(3);
}

async function answer(id: string): Promise<void> {
  expect((await folder.runHere(['respond', `${id}/0`, 'Ann'])).code).toBe(0);
  const ended = await folder.runHere(['resume', id, '--json']);
  expect(ended.json(), ended.stderr).toMatchObject({ output: [2_000_000, 'Ann'] });
}

describe('payloads prune', () => {
  const kept = (): string[] =>
    readdirSync(join(folder.path, payloads))
      .filter((name) => name !== 'pruned-for')
      .sort();
  const age = (): void => {
    for (const name of kept()) utimesSync(join(folder.path, payloads, name), long, long);
  };
  const prune = async (...flags: string[]) => {
    const ended = await folder.runHere(['payloads', 'prune', ...flags]);
    expect(ended.code, ended.stderr).toBe(0);
    return ended;
  };

  it('sets aside what no history refers to, deletes it later, and leaves what a run needs', async () => {
    folder = cliFolder();
    await start('one');
    const ofRun = kept();
    expect(ofRun.length).toBeGreaterThan(0);
    const lost = '0'.repeat(64);
    folder.write(join(payloads, lost), 'x'.repeat(1_000));
    age();
    const none = { count: 0, bytes: 0 };
    const found = {
      ...{ namespaces: ['default'], schedules: 0, dry_run: true },
      ...{ set_aside: { count: 1, bytes: 1_000 }, restored: none, waiting: none, deleted: none },
    };
    expect((await prune('--dry-run', '--json')).json()).toMatchObject(found);
    expect(kept()).toEqual([lost, ...ofRun].sort());
    const told = await prune('--unused', '2d');
    expect(told.stdout).toContain('1 payloads (0.0 MB) set aside: nothing refers to them\n');
    expect(kept()).toEqual([...ofRun, `unused-${lost}`].sort());
    expect((await prune('--json')).json()).toMatchObject({ waiting: { count: 1 }, deleted: none });
    age();
    expect((await prune('--json')).json()).toMatchObject({ deleted: { count: 1, bytes: 1_000 } });
    expect(kept()).toEqual(ofRun);
    await answer('one');
  });

  it('a run has back what was set aside while it needs it', async () => {
    folder = cliFolder();
    await start('one');
    for (const name of kept())
      renameSync(join(folder.path, payloads, name), join(folder.path, payloads, `unused-${name}`));
    await answer('one');
    expect(kept().some((name) => !name.startsWith('unused-'))).toBe(true);
  });

  it.each([
    [['--unused', '5m'], '--unused must be at least 1h'],
    [['--unused', 'soon'], '--unused'],
    [['--namespaces', 'default,'], '--namespaces must be names'],
  ])('%j is refused', async (flags, problem) => {
    folder = cliFolder();
    const { code, stderr } = await folder.runHere(['payloads', 'prune', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('is refused for another server, and for one that refers to nothing of the store', async () => {
    folder = cliFolder();
    folder.write(join(payloads, '0'.repeat(64)), 'x');
    age();
    const nothing = await folder.runHere(['payloads', 'prune', '--json']);
    expect(nothing.json()).toMatchObject({
      error: { code: 'change_refused', message: expect.stringContaining('refers to no payload') as string },
    });
    expect((await prune('--all-unused', '--json')).json()).toMatchObject({ set_aside: { count: 1 } });
    folder.write(join(payloads, 'pruned-for'), 'another');
    const other = await folder.runHere(['payloads', 'prune', '--all-unused', '--json']);
    expect(other.json()).toMatchObject({
      error: {
        code: 'change_refused',
        message: expect.stringContaining('belongs to the server another') as string,
      },
    });
  });

  it('changes nothing where a namespace can’t be read', async () => {
    folder = cliFolder();
    folder.write(join(payloads, '0'.repeat(64)), 'x');
    age();
    const { code } = await folder.runHere(['payloads', 'prune', '--namespaces', 'default,nowhere']);
    expect([code === 0, kept()]).toEqual([false, ['0'.repeat(64)]]);
  });
});

describe.skipIf(!hasS3)('TACTUS_TEMPORAL_PAYLOADS as a bucket', () => {
  let server: TestS3;
  beforeAll(async () => {
    server = await startS3();
  }, 60_000);
  afterAll(() => server?.stop());

  it('keeps what is too large for the server there, and is pruned', async () => {
    folder = cliFolder({ ...awsCredentials, TACTUS_TEMPORAL_PAYLOADS: server.address('large') });
    await start('one');
    expect(readdirSync(join(folder.path, '.tactus-temporal'))).not.toContain('payloads');
    const pruned = await folder.runHere(['payloads', 'prune', '--json']);
    expect(pruned.json(), pruned.stderr).toMatchObject({ set_aside: { count: 0 } });
    expect((pruned.json()['kept'] as { count: number }).count).toBeGreaterThan(0);
    // As if it had been put long ago, and nothing referred to it: the run has it back.
    const { client, bucket } = server;
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    for (const { Key = '' } of Contents.filter(({ Key = '' }) => /[0-9a-f]{64}$/.test(Key))) {
      const CopySource = `${bucket}/${Key}`;
      const aside = Key.replace(/([0-9a-f]{64})$/, 'unused-$1');
      await client.send(new CopyObjectCommand({ Bucket: bucket, Key: aside, CopySource }));
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    }
    await answer('one');
    const checks = async (env: NodeJS.ProcessEnv = {}) => {
      const { checks: all } = (await folder.runHere(['doctor', '--json'], { env })).json();
      return (all as { name: string }[]).filter(({ name }) => name === 'payload store');
    };
    expect(await checks()).toMatchObject([{ status: 'ok' }]);
    const elsewhere = server.address('large').replace('storage', 'nothing');
    expect(await checks({ TACTUS_TEMPORAL_PAYLOADS: elsewhere })).toMatchObject([
      { status: 'broken', detail: expect.stringContaining('There is no such bucket') as string },
    ]);
  });
});
