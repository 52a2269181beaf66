import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimsInUse, namespacesOf } from '../../../src/client/payloads/claims-in-use.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { withPayloadStore } from '../../../src/worker/payloads/store/payload-store.js';
import { prunePayloads } from '../../../src/worker/payloads/store/prune-payloads.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

/** Which payloads of a store the server refers to. */

let server: TestServer;
let worker: TestWorker;
let folder: string;
let store: FilePayloadStore;
let tactus: TactusClient;

beforeAll(async () => {
  server = await startDevServer();
  folder = temporaryFolder('claims');
  store = new FilePayloadStore(folder);
  const filesRoot = temporaryFolder('claims-files');
  await writeFile(join(filesRoot, 'noise.txt'), randomBytes(100_000).toString('base64'));
  worker = await startWorker(server, { activities: { filesRoot }, payloadStore: store });
  const dataConverter = withPayloadStore(undefined, store);
  tactus = new TactusClient(new Client({ connection: server.env.connection, dataConverter }));
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

/** Its log is carried over, in the store, before it waits. */
const large = procedureOf(`
  local length = 0
  for i = 1, 22 do length = length + #File.read("noise.txt") end
  for i = 1, 6 do Sleep(0.001) end
  return { length, Human.input("Name?") }`);

const inUse = async (): Promise<string[]> =>
  [...(await claimsInUse(server.env.connection, ['default'])).keys].sort();
const later = Date.now() + 30 * 86_400_000;
const prune = async () =>
  prunePayloads(store, await store.list(''), new Set(await inUse()), {
    ...{ unusedMs: 86_400_000, isDryRun: false, now: later },
  });

describe('payloads in use', () => {
  it('are those of all executions and schedules, and a run that waits goes on after the others are gone', async () => {
    const run = await tactus.start(large, {}, { limits: { historyEvents: 20 } });
    await waitUntil(async () => (await run.pending()).length === 1);
    const scheduled = procedureSource(
      'Procedure { input = { text = field.string{required = true} }, function(input) return #input.text end }',
    );
    const text = randomBytes(1_500_000).toString('base64');
    await tactus.schedules.create('mondays', scheduled, { text }, { cron: '0 8 * * 1' });
    // The list of schedules lags behind.
    await waitUntil(async () => (await claimsInUse(server.env.connection, ['default'])).schedules === 1);
    const ofRun = await inUse();
    expect(ofRun.length).toBeGreaterThan(1);
    expect((await readdir(folder)).filter((name) => ofRun.includes(name)).sort()).toEqual(ofRun);

    const lost = 'f'.repeat(64);
    await store.put(lost, Buffer.from('nothing refers to it'));
    const before = await readdir(folder);
    const { set_aside: aside, kept } = await prune();
    expect(kept.count).toBe(ofRun.length);
    expect(aside.count).toBe(before.length - ofRun.length);
    expect(await store.has(lost)).toBe(false);

    const [request] = await run.pending();
    await run.decide({ request: request?.id ?? '', value: 'Ann' });
    expect(await run.result()).toEqual([22 * 133_336, 'Ann']);
    const { keys, executions, schedules } = await claimsInUse(server.env.connection, ['default']);
    expect(schedules).toBe(1);
    expect(executions).toBeGreaterThan(1);
    // A schedule that is gone refers to nothing.
    await tactus.schedules.delete('mondays');
    await waitUntil(async () => (await inUse()).length === keys.size - 1);
  });

  it('are asked of all namespaces but the server’s own', async () => {
    expect(await namespacesOf(server.env.connection)).toEqual(['default']);
    await expect(claimsInUse(server.env.connection, ['default', 'nowhere'])).rejects.toThrow();
  });
});
