import { afterAll, beforeAll, expect, it } from 'vitest';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let worker: TestWorker;
beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server);
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

it('a run and its forks keep the trace that it was started in', async () => {
  const source = procedureOf('Sleep(0.01) return { done = true }');
  const trace = { traceparent, tracestate: 'vendor=1' };
  const run = await server.tactus.start(source, {}, { runId: 'traced', trace });
  await run.result();
  const fork = await server.tactus.fork('traced', { runId: 'forked', at: '0' });
  await fork.result();
  for (const id of ['traced', 'forked']) {
    const { memo } = await server.env.client.workflow.getHandle(id).describe();
    expect(memo).toMatchObject(trace);
  }
});

it('a traceparent that is none is refused, and nothing starts', async () => {
  const starting = server.tactus.start(
    procedureOf('return {}'),
    {},
    { runId: 'none', trace: { traceparent: 'x' } },
  );
  await expect(starting).rejects.toMatchObject({ code: 'usage' });
  await expect(server.env.client.workflow.getHandle('none').describe()).rejects.toThrow();
});
