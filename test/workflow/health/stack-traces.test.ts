import { fileURLToPath } from 'node:url';
import type { temporal } from '@temporalio/proto';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusPlugin } from '../../../src/worker/tactus-plugin.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

type Failure = temporal.api.failure.v1.IFailure;

let server: TestServer;

beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

async function stackOf(stackTraces?: boolean): Promise<string> {
  const worker = await startWorker(server, stackTraces === undefined ? {} : { stackTraces });
  const run = await server.tactus.start(procedureOf('return Human.approve("go on?")'));
  await waitUntil(async () => (await run.pending()).length > 0);
  const stack = await run.handle.query<string>('__stack_trace');
  await run.handle.terminate();
  await worker.stop();
  return stack;
}

describe('the stacks of promises', () => {
  it('are not kept by a worker of procedures, and the query says how to turn them on', async () => {
    expect(await stackOf()).toBe(
      'Stack traces are off. To turn them on: worker.stack_traces: true, or TactusPlugin({ stackTraces: true }).',
    );
  });

  it('are kept where somebody wants them', async () => {
    expect(await stackOf(true)).toMatch(/^ {4}at .*\.ts:\d+:\d+\)?$/m);
  });
});

describe('workflows of your own, beside ours', () => {
  const workflowsPath = fileURLToPath(new URL('../../support/rejecting-workflows.ts', import.meta.url));

  async function taskFailure(stackTraces?: boolean): Promise<{ message: string; stack: string }> {
    const bundle = await bundleWorkflowCode({
      ...{ workflowsPath, logger: new DefaultLogger('WARN') },
      plugins: [new TactusPlugin()],
    });
    const worker = await startWorker(server, {
      ...(stackTraces === undefined ? {} : { stackTraces }),
      worker: { workflowBundle: bundle },
    });
    const own = await server.env.client.workflow.start('losesRejection', {
      ...{ taskQueue: 'tactus', workflowId: `loses-${String(stackTraces)}`, args: [] },
    });
    const failures = async (): Promise<Failure[]> =>
      ((await own.fetchHistory()).events ?? []).flatMap(
        ({ workflowTaskFailedEventAttributes: each }) => each?.failure ?? [],
      );
    await waitUntil(async () => (await failures()).length > 0);
    const [failure] = await failures();
    // Another run of the worker goes on.
    const run = await server.tactus.start(procedureOf('return 1 + 1'));
    expect(await run.result()).toBe(2);
    await own.terminate();
    await worker.stop();
    return { message: failure?.message ?? '', stack: failure?.cause?.stackTrace ?? '' };
  }

  it.each([undefined, false])(
    'a rejection that nobody handles fails the task of its run (stackTraces %s)',
    async (kept) => {
      const { message, stack } = await taskFailure(kept);
      expect(message).toContain('Unhandled Promise rejection: Error: nobody waits for this');
      expect(stack).toContain('rejecting-workflows.ts:');
    },
  );
});
