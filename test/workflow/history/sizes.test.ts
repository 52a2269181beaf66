import { expect, it } from 'vitest';
import { signalNames } from '../../../src/contract/names.js';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';

type Event = NonNullable<History['events']>[number];

/** Those of all executions of a run, in pages: a whole history may be too large for one answer. */
async function eventsOf(workflowId: string): Promise<Event[]> {
  const events: Event[] = [];
  for (let runId = ''; ;) {
    const own: Event[] = [];
    let page: Uint8Array = new Uint8Array();
    do {
      const { history, nextPageToken } = await server.client.workflowService.getWorkflowExecutionHistory({
        namespace: server.env.namespace ?? 'default',
        execution: { workflowId, ...(runId === '' ? {} : { runId }) },
        maximumPageSize: 10,
        nextPageToken: page,
      });
      own.push(...(history?.events ?? []));
      page = nextPageToken;
    } while (page.length > 0);
    events.unshift(...own);
    runId = own[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
    if (runId === '') return events;
  }
}

const server = serverWithWorker(startDevServer);

it('questions that are too large for one answer together are shown short, and given whole', async () => {
  const run = await server.tactus.start(
    procedureOf(`
      local text = ("x"):rep(1200000)
      return Parallel{
        function() return Human.approve{ message = "First?", context = { text = text } } end,
        function() return Human.approve{ message = "Second?", context = { text = text } } end,
      }`),
  );
  await pendingOf(run);
  const { pending } = await run.status();
  expect(pending.map(({ message, context }) => [message, context])).toEqual(
    ['First?', 'Second?'].map((message) => [
      message,
      { note: expect.stringContaining('ask for what is pending') as string },
    ]),
  );
  const whole = await server.tactus.pending(run.runId);
  expect(whole.map(({ context }) => JSON.stringify(context).length > 1_200_000)).toEqual([true, true]);
  for (const { id } of whole) await run.decide({ request: id, value: true });
  expect(await run.result()).toEqual([true, true]);
});

it('an output that is too large for an answer with all else is named in the status', async () => {
  const run = await server.tactus.start(
    procedureOf('state.text = ("s"):rep(290000) print(("p"):rep(290000)) return ("x"):rep(1400000)'),
  );
  expect(await run.result()).toHaveLength(1_400_000);
  expect((await run.status()).output).toEqual({
    note: expect.stringContaining('ask for the result') as string,
  });
});

it('fifty children at once, each with 100 KB of source, are started in parts', async () => {
  const padding = `-- ${'x'.repeat(100_000)}\n`;
  const run = await server.tactus.start(
    procedureOf(
      `local numbers = {}
      for i = 1, 50 do numbers[i] = i end
      local sum = 0
      for _, n in ipairs(Parallel.map(numbers, function(n) return Procedure.run("child.tac", { n = n }).n end)) do
        sum = sum + n
      end
      return sum`,
      { 'child.tac': `${padding}Procedure { function(input) return { n = input.n } end }` },
    ),
  );
  expect(await run.result()).toBe(1275);
  const events = await eventsOf(run.runId);
  const parts = events.filter(
    ({ activityTaskScheduledEventAttributes: each }) => each?.activityType?.name === 'breathe',
  );
  expect(parts.length).toBeGreaterThan(1);
  expect(failedTasks([{ events }])).toEqual([]);
});

it('a run that only waits continues as new when it has heard enough, and loses no decision', async () => {
  const run = await server.tactus.start(
    procedureOf('return Human.approve("Go?")'),
    {},
    { limits: { historyEvents: 400 } },
  );
  const [request] = await pendingOf(run);
  for (let i = 0; i < 120; i++)
    await run.handle.signal(signalNames.decide, { request: 'nobody/0', value: i });
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(true);
  expect((await historiesOf(server.client, run.runId)).length).toBeGreaterThan(1);
});
