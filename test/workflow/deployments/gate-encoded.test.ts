import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { GateReport } from '../../../src/contract/deployments/gate.js';
import { gateType } from '../../../src/contract/names.js';
import { payloadEncryption } from '../../../src/worker/payloads/codecs/encryption/payload-encryption.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { withPayloadStore } from '../../../src/worker/payloads/store/payload-store.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** The gate of a build, over histories that are encrypted and have payloads in a store. */

let server: TestServer;
let worker: TestWorker;
let folder: string;
let client: Client;

beforeAll(async () => {
  server = await startDevServer();
  folder = temporaryFolder('gate-payloads');
  const filesRoot = temporaryFolder('gate-files');
  await writeFile(join(filesRoot, 'noise.txt'), randomBytes(100_000).toString('base64'));
  const key = randomBytes(32).toString('base64');
  const codec = payloadEncryption({ key: 'main', keys: { main: 'GATE_KEY' } }, { GATE_KEY: key });
  const payloadStore = new FilePayloadStore(folder);
  const dataConverter = { payloadCodecs: [codec] };
  worker = await startWorker(server, { activities: { filesRoot }, payloadStore, worker: { dataConverter } });
  client = new Client({
    connection: server.env.connection,
    dataConverter: withPayloadStore(dataConverter, payloadStore),
  });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

const gate = (id: string): Promise<GateReport> =>
  client.workflow.execute(gateType, { taskQueue: 'tactus', workflowId: id, args: [{ runs: 100 }] });

it('replays them as they are, and says which payload it can’t find', async () => {
  const tactus = new TactusClient(client);
  const large = procedureOf(`
    local length = 0
    for i = 1, 22 do length = length + #File.read("noise.txt") end
    for i = 1, 6 do Sleep(0.001) end
    return { length, Human.input("Name?") }`);
  const run = await tactus.start(large, {}, { limits: { historyEvents: 20 } });
  await waitUntil(async () => (await run.pending()).length === 1);
  expect(readdirSync(folder).length).toBeGreaterThan(0);
  let tries = 0;
  // The server's list lags behind.
  const report = await waitUntil(async () => {
    const found = await gate(`with-all-${tries++}`);
    return found.replayed > 1 && found;
  });
  expect(report).toMatchObject({ failed: 0, problems: [], stuck_before: [] });

  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const refused = await gate('with-nothing').then(
    () => null,
    (error: Error) => (error.cause as { type?: string; message: string } | undefined) ?? null,
  );
  expect(refused).toMatchObject({
    type: 'build_refused',
    message: expect.stringContaining('the payload store has no') as string,
  });
});
