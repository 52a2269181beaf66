import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { startForgetfulGrpc } from '../../support/forgetful-grpc-proxy.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';

let server: TestServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

it('a run is terminated once, also where the answer to that gets lost', async () => {
  const proxy = await startForgetfulGrpc(`http://${server.env.address}`);
  const connection = await Connection.connect({ address: new URL(proxy.endpoint).host });
  try {
    const tactus = new TactusClient(new Client({ connection }), { taskQueue: 'nobody' });
    const run = await tactus.start(procedureOf('return 1'));
    proxy.forgetNext(
      ({ url = '' }) => url.endsWith('/TerminateWorkflowExecution'),
      () => Promise.resolve(),
    );
    await run.terminate('a mistake');
    expect(proxy.forgotten()).toBe(1);
    expect((await run.handle.describe()).status.name).toBe('TERMINATED');
    await run.terminate('once more');
  } finally {
    await connection.close();
    proxy.stop();
  }
});

it('a run that has ended otherwise is not there to be terminated', async () => {
  const worker = await startWorker(server);
  try {
    const run = await server.tactus.start(procedureOf('return 1'));
    await run.result();
    await expect(run.terminate()).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(server.tactus.attach('no-such').terminate()).rejects.toMatchObject({
      code: 'run_not_found',
    });
  } finally {
    await worker.stop();
  }
});
