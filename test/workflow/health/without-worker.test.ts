import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusError } from '../../../src/contract/errors.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server?.stop());

const source = procedureOf('return 1');

it('whoever executes a procedure hears that no worker takes it, and may stop waiting', async () => {
  const tactus = new TactusClient(server.client, { taskQueue: 'nobody' });
  const waiting = new AbortController();
  const told: TactusError[] = [];
  const result = tactus.execute(
    source,
    {},
    {
      runId: 'alone',
      signal: waiting.signal,
      onNoWorker: (error) => {
        told.push(error);
        waiting.abort(error);
      },
    },
  );
  await expect(result).rejects.toMatchObject({
    code: 'no_worker',
    message: expect.stringContaining(
      'No worker polls the task queue "nobody": the run alone waits for one',
    ) as string,
  });
  expect(told).toHaveLength(1);
  // The run is left alone.
  expect((await tactus.attach('alone').handle.describe()).status.name).toBe('RUNNING');
  const early = tactus.execute(
    source,
    {},
    { runId: 'early', signal: AbortSignal.abort(new Error('no time')) },
  );
  await expect(early).rejects.toThrow('no time');
});

it('nobody has to listen: the process warns', async () => {
  const tactus = new TactusClient(server.client, { taskQueue: 'nobody' });
  const waiting = new AbortController();
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  const result = tactus.execute(source, {}, { signal: waiting.signal });
  expect(await warned).toMatchObject({
    code: 'TACTUS_NO_WORKER',
    message: expect.stringContaining('"nobody"') as string,
  });
  waiting.abort(new Error('enough'));
  await expect(result).rejects.toThrow('enough');
});
