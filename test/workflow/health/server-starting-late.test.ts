import { NativeConnection } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { noCodec } from '../../../src/contract/payloads/codec-settings.js';
import { TactusError } from '../../../src/contract/errors.js';
import { defaultTaskQueue } from '../../../src/contract/names.js';
import { freePort } from '../../../src/worker/server/embedded-server/free-port.js';
import { whenServerAnswers } from '../../../src/worker/when-server-answers.js';
import { workerOn } from '../../../src/worker/worker-on.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { readWorkerSettings } from '../../../src/worker/settings.schema.js';
import { waitUntil } from '../../support/wait-until.js';

it('a worker that begins before its server waits for it, says so once, and then performs runs', async () => {
  const port = await freePort();
  const told: string[] = [];
  const folder = temporaryFolder('late-server');
  const starting = workerOn({
    connection: { address: `127.0.0.1:${port}` },
    ...{
      namespace: 'default',
      taskQueue: defaultTaskQueue,
      workingFolder: folder,
      filesRoot: folder,
      procedureFolders: [],
    },
    ...{
      performs: true,
      storage: null,
      index: null,
      payloads: null,
      tools: { toolModules: [] },
      codec: noCodec,
      dataConverter: {},
      callQueues: { models: {}, tools: {} },
      tenantBudgets: {},
    },
    ...{ authorityKeys: {}, links: null, reach: {}, settings: readWorkerSettings({}, {}) },
    onTrouble: (problem) => told.push(problem),
  });
  let server: TestServer | null = null;
  try {
    await waitUntil(() => Promise.resolve(told.length > 0));
    server = await startDevServer({ port });
    const worker = await starting;
    const run = await server.tactus.start(procedureOf('return 1 + 1'));
    expect(await run.result()).toBe(2);
    await worker.stop();
  } finally {
    await server?.stop();
  }
  expect(told).toEqual([
    `The Temporal server at 127.0.0.1:${port} refuses connections (Connection refused). The worker waits for it, for up to 60 s.`,
  ]);
}, 120_000);

it('a server that stays away is named, without the words of libraries', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const failed = whenServerAnswers(() => NativeConnection.connect({ address }), {
    address,
    waitMs: 1_000,
    tell: () => undefined,
  });
  const error: unknown = await failed.catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(TactusError);
  expect(error).toMatchObject({
    code: 'server_unreachable',
    message: `The Temporal server at ${address} has refused connections for 1 s (Connection refused). Start it, and start the worker again`,
  });
});

it('what is no matter of the connection is thrown at once', async () => {
  let attempts = 0;
  const begin = (): Promise<never> => {
    attempts++;
    return Promise.reject(new Error('another fault'));
  };
  await expect(whenServerAnswers(begin, { address: 'a', tell: () => undefined })).rejects.toThrow(
    'another fault',
  );
  expect(attempts).toBe(1);
});
