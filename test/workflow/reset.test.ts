import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { TactusClient } from '../../src/client/tactus-client.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import type { HumanRequest } from '../../src/contract/human-request.js';
import { openRunIndex } from '../../src/read-model/open-run-index.js';
import { pendingOf } from '../support/pending-of.js';
import { procedureOf } from '../support/procedure-source.js';
import { serverWithWorker } from '../support/server-with-worker.js';
import { startDevServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';

const server = serverWithWorker(startDevServer);

/** As `temporal workflow reset` does: the run goes on anew behind its first workflow task. */
async function reset(run: TactusRun): Promise<void> {
  const { client } = server;
  const { runId } = await run.handle.describe();
  const history = await client.workflow.getHandle(run.runId, runId).fetchHistory();
  const task = (history.events ?? []).find((event) => event.workflowTaskCompletedEventAttributes);
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: run.runId, runId },
    workflowTaskFinishEventId: task?.eventId ?? null,
    requestId: randomUUID(),
    reason: 'test',
  });
  await waitUntil(async () => (await run.handle.describe()).runId !== runId);
}

const asked = (run: TactusRun): Promise<HumanRequest> =>
  waitUntil(async () => (await run.pending().catch(() => []))[0] ?? null, 20_000);

it('a run that was reset is one run in lists, and what it asks is shown, by the index too', async () => {
  const index = await openRunIndex(':memory:');
  const { client } = server;
  const tactus = new TactusClient(client, { index });
  const run = await tactus.start(procedureOf('return Human.approve("Go on?")'));
  const [request] = await pendingOf(run);
  await reset(run);
  await asked(run);
  const mine = { prefix: run.runId, limit: 10 };
  const wanted = [{ run_id: run.runId, status: 'waiting_for_human' }];
  await waitUntil(async () => (await server.tactus.list(mine)).runs.length === 1);
  expect((await server.tactus.list(mine)).runs).toMatchObject(wanted);
  for (let times = 0; times < 3; times++) {
    expect((await tactus.list(mine)).runs).toMatchObject([{ run_id: run.runId }]);
    const { requests } = await tactus.openRequests({ limit: 10 });
    expect(requests.map(({ id }) => id)).toContain(request?.id);
  }
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(true);
  await waitUntil(async () => (await tactus.list(mine)).runs[0]?.status === 'completed', 20_000);
});
