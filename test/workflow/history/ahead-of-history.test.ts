import { setTimeout as delay } from 'node:timers/promises';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workflowType } from '../../../src/contract/names.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;

beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

/** A worker is so slow with the first workflow task that it gives back that the server has given it up by then. */
class SlowOnce implements PayloadCodec {
  private isFirst = true;

  constructor(private readonly ms: number) {}

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const { isFirst } = this;
    this.isFirst = false;
    if (isFirst) await delay(this.ms);
    return payloads;
  }

  decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads);
  }
}

const source = procedureOf('Event.wait("go") return Human.approve{message = "Well?", timeout = "1h"}');

/** Runs it once on a task queue of its own. Gives whether a task was lost: whether the slow answer was that of a task is up to the server. */
async function losesTask(taskQueue: string): Promise<boolean> {
  const handle = await server.client.workflow.start(workflowType, {
    args: [{ source, input: {}, searchAttributes: true }],
    workflowId: taskQueue,
    taskQueue,
    workflowTaskTimeout: '2s',
  });
  const first = await startWorker(server, { taskQueue });
  const run = server.tactus.attach(taskQueue);
  await waitUntil(async () => (await run.status()).waits.length > 0);
  await first.stop();
  // Both wait for a worker: the question, and the task.
  const asked = run.status();
  await delay(300);
  await run.send('go', 1);
  const second = await startWorker(server, {
    taskQueue,
    worker: { dataConverter: { payloadCodecs: [new SlowOnce(3_000)] } },
  });
  try {
    // It is told of a request that no history has yet.
    const [request] = (await asked).pending;
    const { id = '', digest = '' } = request ?? {};
    // As who was shown a request decides. The run may have to ask anew first: the decision is kept until then.
    const { outcome } = await run.decide({ request: id, digest, value: true });
    expect(['accepted', 'early']).toContain(outcome);
    expect(await handle.result()).toBe(true);
    const [history = {}] = await historiesOf(server.client, taskQueue);
    expect(await replayHistories([{ workflowId: taskQueue, history }])).toEqual([]);
    return history.events?.some((event) => event.workflowTaskTimedOutEventAttributes != null) ?? false;
  } finally {
    await second.stop();
  }
}

it('a worker that looks at a run whose task was lost records a decision as a replay will do it', async () => {
  let lost = 0;
  for (let n = 1; lost === 0 && n <= 5; n++) lost += Number(await losesTask(`ahead-${n}`));
  expect(lost).toBe(1);
});
